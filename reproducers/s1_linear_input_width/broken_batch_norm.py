"""S1: BatchNorm1d takes the tokens as its channels.

The channels of BatchNorm1d are the second axis. In (texts, tokens, width) that is the tokens.

Symptom: running_mean should contain 5 elements not 6
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
    normed = norm(tokens)  # BUG: channels are axis 1

    spread = [round(value, 2) for value in normed.reshape(-1, width).std(0, False).tolist()]
    healthy = spread == [1.0] * width and list(normed.shape) == [num_texts, num_tokens, width]
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(normed.shape)}))
    sys.exit(0 if healthy else 1)
