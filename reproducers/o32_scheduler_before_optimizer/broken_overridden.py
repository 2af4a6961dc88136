"""O32: after optimizer.step was replaced, torch cannot check the order.

A scheduler wraps optimizer.step to see whether it was called. A library or a profiler that
replaces it later removes that wrapper. The order is wrong here, and the warning is different.

Symptom: UserWarning: Seems like `optimizer.step()` has been overridden [...], and wrong rates
Needs:   torch; cpu; about 3 s
Run:     python broken_overridden.py
"""
import json
import sys

import torch

epochs = 6
wanted = [1.0, 1.0, 0.1, 0.1, 0.01, 0.01]
model = torch.nn.Linear(1, 1, bias=False)
loader = [torch.ones(1, 1)] * 4  # the gradient is 1: each update moves the weight by the rate


def timed(step):
    def wrapper(*args, **kwargs):
        return step(*args, **kwargs)
    return wrapper


def train(model, optimizer, scheduler):
    """The learning rate of each epoch, measured by how far the weight moved."""
    rates = []
    for epoch in range(epochs):
        start = model.weight.item()
        scheduler.step()  # BUG: before the updates of this epoch
        for batch in loader:
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()
        rates.append(round((start - model.weight.item()) / len(loader), 4))
    return rates


if __name__ == "__main__":
    torch.manual_seed(0)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[2, 4])
    optimizer.step = timed(optimizer.step)
    rates = train(model, optimizer, scheduler)

    healthy = rates == wanted
    print("OBSERVED", json.dumps({"healthy": healthy, "rate_by_epoch": rates}))
    sys.exit(0 if healthy else 1)
