"""S1: BatchNorm1d gets the width as its second axis.

The two axes are swapped before the layer and swapped back after it.

Symptom: none: each of the 6 channels has a spread of 1
Needs:   torch; cpu; about 2 s
Run:     python broken_batch_norm.py; python fix_batch_norm.py
"""
import json
import sys

import torch
from torch import nn

num_texts = 4
num_tokens = 5
width = 6


if __name__ == "__main__":
    torch.manual_seed(0)
    tokens = torch.randn(num_texts, num_tokens, width)
    norm = nn.BatchNorm1d(width)
    normed = norm(tokens.transpose(1, 2)).transpose(1, 2)  # FIX

    spread = [round(value, 2) for value in normed.reshape(-1, width).std(0, False).tolist()]
    healthy = spread == [1.0] * width and list(normed.shape) == [num_texts, num_tokens, width]
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(normed.shape)}))
    sys.exit(0 if healthy else 1)
