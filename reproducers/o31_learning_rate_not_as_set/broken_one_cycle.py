"""O31: OneCycleLR replaces the rate of the optimizer by max_lr / 25.

The rate that the optimizer was created with is not used. The highest rate is max_lr, which is
reached after 30 % of the steps.

Symptom: 0.0004 in the first epoch, and never more than 0.01
Needs:   torch; cpu; about 3 s
Run:     python broken_one_cycle.py
"""
import json
import sys

import torch

epochs, batches = 6, 5
wanted_highest = 0.1


if __name__ == "__main__":
    weight = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(  # BUG: the 0.1 above is overwritten
        optimizer, max_lr=0.01, total_steps=epochs, cycle_momentum=False)
    rates = []
    for epoch in range(epochs):
        for batch in range(batches):
            before = weight.item()
            optimizer.zero_grad()
            weight.sum().backward()  # the gradient is 1: the weight moves by the learning rate
            optimizer.step()
        rates.append(float("%.2g" % (before - weight.item())))
        scheduler.step()

    healthy = max(rates) == wanted_highest
    print("OBSERVED", json.dumps({"healthy": healthy, "rate_by_epoch": rates}))
    sys.exit(0 if healthy else 1)
