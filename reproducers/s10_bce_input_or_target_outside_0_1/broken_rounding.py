"""S10: a sum of probabilities is 1.0000001 for a few rows.

The probability of "any of these classes" is a sum of softmax outputs. In float32 the sum can end a
little above 1, and BCELoss refuses the batch.

Symptom: RuntimeError: all elements of input should be between 0 and 1
Needs:   torch; cpu; about 2 s
Run:     python broken_rounding.py; python fix_clamp_rounding.py
"""
import json
import sys

import torch
from torch import nn

num_samples = 2000


if __name__ == "__main__":
    torch.manual_seed(0)
    logits = torch.randn(num_samples, 12)
    logits[:, -1] = -20.0  # the background class is very unlikely
    any_object = logits.softmax(1)[:, :-1].sum(1)
    print("highest", any_object.max().item())
    probability = any_object  # BUG: some rows are above 1
    loss = nn.BCELoss()(probability, torch.ones(num_samples))

    healthy = any_object.max().item() > 1 and 0 <= loss.item() < 1e-3
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": loss.item()}))
    sys.exit(0 if healthy else 1)
