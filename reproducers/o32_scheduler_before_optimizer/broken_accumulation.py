"""O32: with gradient accumulation, the scheduler steps for each micro-batch.

The optimizer steps once in 4 micro-batches. A scheduler that steps for each of them has stepped
before the first update, and runs through its schedule 4 times too fast.

Symptom: the same warning; the warm-up is 4 times too fast
Needs:   torch; cpu; about 3 s
Run:     python broken_accumulation.py
"""
import json
import sys

import torch

accumulate = 4
wanted = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
model = torch.nn.Linear(1, 1, bias=False)
loader = [torch.ones(1, 1)] * 24  # the gradient is 1: each update moves the weight by the rate


def train(model, optimizer, scheduler):
    """The learning rate of each update, measured by how far the weight moved."""
    rates = []
    for i, batch in enumerate(loader):
        loss = model(batch).sum() / accumulate
        loss.backward()
        if (i + 1) % accumulate == 0:
            start = model.weight.item()
            optimizer.step()
            optimizer.zero_grad()
            rates.append(round(start - model.weight.item(), 4))
        scheduler.step()  # BUG: for each micro-batch
    return rates


if __name__ == "__main__":
    torch.manual_seed(0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: step + 1)
    rates = train(model, optimizer, scheduler)

    healthy = rates == wanted
    print("OBSERVED", json.dumps({"healthy": healthy, "rate_by_update": rates}))
    sys.exit(0 if healthy else 1)
