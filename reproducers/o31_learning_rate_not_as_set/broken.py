"""O31: the scheduler steps once per batch, and its milestones are meant as epochs.

The scheduler only counts its own step() calls. With 5 batches in an epoch, milestones of 2 and 4
epochs are both reached in the first epoch.

Symptom: a rate of 0.001 at the end of the first epoch instead of 0.1
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch

epochs, batches = 6, 5
wanted = [0.1, 0.1, 0.01, 0.01, 0.001, 0.001]  # by epoch


if __name__ == "__main__":
    weight = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[2, 4])
    rates = []
    for epoch in range(epochs):
        for batch in range(batches):
            before = weight.item()
            optimizer.zero_grad()
            weight.sum().backward()  # the gradient is 1: the weight moves by the learning rate
            optimizer.step()
            scheduler.step()  # BUG: the milestones count epochs
        rates.append(float("%.2g" % (before - weight.item())))

    healthy = rates == wanted
    print("OBSERVED", json.dumps({"healthy": healthy, "rate_by_epoch": rates}))
    sys.exit(0 if healthy else 1)
