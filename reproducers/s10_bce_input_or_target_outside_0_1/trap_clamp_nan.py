"""S10: clamp(0, 1) keeps nan.

clamp() compares each value with 0 and with 1. Both comparisons are false for nan, so nan stays.

Symptom: RuntimeError: all elements of input should be between 0 and 1
Needs:   torch; cpu; about 2 s
Run:     python trap_clamp_nan.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    prediction = torch.tensor([0.2, float("nan"), 1.5])
    clamped = prediction.clamp(0, 1)  # BUG: 1.5 becomes 1.0, nan stays nan
    print("clamped", clamped.tolist())
    loss = nn.BCELoss()(clamped, torch.tensor([0.0, 1.0, 1.0]))

    healthy = 0 < loss.item() < 10
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": loss.item()}))
    sys.exit(0 if healthy else 1)
