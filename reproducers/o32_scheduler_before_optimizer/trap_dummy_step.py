"""O32: one optimizer.step() before the loop silences the warning.

torch checks the order only in the first scheduler.step(). A step without gradients is enough for
it, and the first value of the schedule is still lost.

Symptom: no warning, and every epoch trains with the rate of the next one
Needs:   torch; cpu; about 3 s
Run:     python trap_dummy_step.py
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
        scheduler.step()  # BUG: still before the updates of this epoch
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
    optimizer.step()  # no gradients: it changes nothing
    rates = train(model, optimizer, scheduler)

    healthy = rates == wanted
    print("OBSERVED", json.dumps({"healthy": healthy, "rate_by_epoch": rates}))
    sys.exit(0 if healthy else 1)
