"""O31: milestones that are given in updates, for a scheduler that steps once per update.

The number of updates per epoch is len(loader), divided by the accumulation steps if there are any.

Symptom: none: 0.1, 0.1, 0.01, 0.01, 0.001, 0.001
Needs:   torch; cpu; about 3 s
Run:     python fix_steps_as_unit.py
"""
import json
import sys

import torch

epochs, batches = 6, 5
wanted = [0.1, 0.1, 0.01, 0.01, 0.001, 0.001]  # by epoch


if __name__ == "__main__":
    weight = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(
        optimizer, milestones=[m * batches for m in (2, 4)])  # FIX: epochs times updates
    rates = []
    for epoch in range(epochs):
        for batch in range(batches):
            before = weight.item()
            optimizer.zero_grad()
            weight.sum().backward()  # the gradient is 1: the weight moves by the learning rate
            optimizer.step()
            scheduler.step()
        rates.append(float("%.2g" % (before - weight.item())))

    healthy = rates == wanted
    print("OBSERVED", json.dumps({"healthy": healthy, "rate_by_epoch": rates}))
    sys.exit(0 if healthy else 1)
