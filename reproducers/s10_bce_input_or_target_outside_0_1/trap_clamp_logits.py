"""S10: clamp(0, 1) in place of the sigmoid stops the learning.

The gradient of clamp() is 0 outside the range. A sample whose output is below 0 or above 1 no
longer changes the model.

Symptom: all outputs start below 0, and no weight changes in 100 steps
Needs:   torch; cpu; about 2 s
Run:     python trap_clamp_logits.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

steps = 100


if __name__ == "__main__":
    torch.manual_seed(0)
    inputs = torch.randn(64, 2)
    labels = (inputs[:, 0] > 0).float()
    model = nn.Linear(2, 1)
    nn.init.constant_(model.bias, -4.0)  # most samples are of class 0 in many data sets
    before = model.weight.detach().clone()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        probability = model(inputs).squeeze(1).clamp(0, 1)  # BUG: use BCEWithLogitsLoss
        loss = nn.BCELoss()(probability, labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    moved = (model.weight - before).abs().max().item()
    healthy = moved > 0 and losses[-1] < 0.3
    print("OBSERVED", json.dumps({"healthy": healthy, "largest_change": moved,
                                  "first_and_last_loss": [round(losses[0], 2),
                                                          round(losses[-1], 2)]}))
    sys.exit(0 if healthy else 1)
