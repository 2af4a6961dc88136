"""O34: anomaly detection names an operation near the one that is the cause.

The square root returns an infinite gradient, which is not nan. The first nan comes from the
operation inside the root, pow(2). The warning above the error shows the right line.

Symptom: RuntimeError: Function 'PowBackward0' returned nan values in its 0th output.
Needs:   torch; cpu; about 3 s
Run:     python broken_anomaly.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 8)

if __name__ == "__main__":
    inputs = torch.randn(16, 4)
    with torch.autograd.detect_anomaly():
        difference = model(inputs) - model(inputs)
        loss = difference.pow(2).sum(1).sqrt().mean()  # BUG: sqrt at 0
        loss.backward()

    healthy = bool(torch.isfinite(model.weight.grad).all()) and loss.item() == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": loss.item()}))
    sys.exit(0 if healthy else 1)
