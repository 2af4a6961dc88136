"""Q2: with a nan in the data, anomaly detection blames the loss function.

Anomaly detection looks at the backward pass, which begins at the loss. A nan that was there before
reaches the backward pass of the loss first.

Symptom: RuntimeError: Function 'MseLossBackward0' returned nan values in its 0th output.
Needs:   torch; cpu; about 3 s
Run:     python trap_anomaly_detection.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

if __name__ == "__main__":
    inputs = torch.rand(8, 4)
    labels = inputs.mean(1, keepdim=True)
    inputs[5, 2] = float("nan")
    with torch.autograd.detect_anomaly():  # BUG: it looks at the backward pass only
        loss = nn.functional.mse_loss(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
    optimizer.step()

    healthy = all(torch.isfinite(p).all() for p in model.parameters())
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": loss.item()}))
    sys.exit(0 if healthy else 1)
