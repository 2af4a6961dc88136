"""O32: scheduler.step() comes after optimizer.step(), but in the loop over batches.

The order is right, so torch does not warn. The milestones were meant in epochs, and are now
reached after as many batches.

Symptom: no warning; from the second epoch on the rate is 0.01
Needs:   torch; cpu; about 3 s
Run:     python trap_per_batch.py
"""
import json
import sys

import torch

epochs = 6
wanted = [1.0, 1.0, 0.1, 0.1, 0.01, 0.01]
model = torch.nn.Linear(1, 1, bias=False)
loader = [torch.ones(1, 1)] * 4  # the gradient is 1: each update moves the weight by the rate


def train(model, optimizer, scheduler):
    """The learning rate of each epoch, measured by how far the weight moved."""
    rates = []
    for epoch in range(epochs):
        start = model.weight.item()
        for batch in loader:
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()
            scheduler.step()  # BUG: 4 times an epoch
        rates.append(round((start - model.weight.item()) / len(loader), 4))
    return rates


if __name__ == "__main__":
    torch.manual_seed(0)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[2, 4])
    rates = train(model, optimizer, scheduler)

    healthy = rates == wanted
    print("OBSERVED", json.dumps({"healthy": healthy, "rate_by_epoch": rates}))
    sys.exit(0 if healthy else 1)
