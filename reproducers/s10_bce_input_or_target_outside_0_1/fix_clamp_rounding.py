"""S10: clamp() is right for values that are above 1 by rounding.

The probability of "any of these classes" is a sum of softmax outputs. In float32 the sum can end a
little above 1, and clamp() changes it by that little.

Symptom: none: a loss near 0
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
    probability = any_object.clamp(0, 1)  # FIX: remove the rounding error
    loss = nn.BCELoss()(probability, torch.ones(num_samples))

    healthy = any_object.max().item() > 1 and 0 <= loss.item() < 1e-3
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": loss.item()}))
    sys.exit(0 if healthy else 1)
