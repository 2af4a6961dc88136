"""S1: a LayerNorm for 768 features gets the 512 of a different encoder.

normalized_shape is compared with the last axis of the input.

Symptom: RuntimeError: Given normalized_shape=[768], expected input with shape [*, 768]
Needs:   torch; cpu; about 2 s
Run:     python broken_norm_width.py; python fix_width_of_data.py
"""
import json
import sys

import torch
from torch import nn

if __name__ == "__main__":
    torch.manual_seed(0)
    encoder = nn.Linear(32, 512)
    norm = nn.LayerNorm(768)  # BUG: this encoder has 512 outputs
    normed = norm(encoder(torch.randn(2, 4, 32)))

    healthy = list(normed.shape) == [2, 4, 512]
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(normed.shape)}))
    sys.exit(0 if healthy else 1)
