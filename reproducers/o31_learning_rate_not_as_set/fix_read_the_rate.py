"""O31: the rate in param_groups is the one with which the optimizer updates.

The optimizer reads the rate from its parameter groups in each step(). get_last_lr() returns what
the scheduler wrote there.

Symptom: none: both readings agree with the movement of the weight
Needs:   torch; cpu; about 3 s
Run:     python fix_read_the_rate.py
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
    used, rates, last = [], [], []
    for epoch in range(epochs):
        for batch in range(batches):
            before = weight.item()
            optimizer.zero_grad()
            weight.sum().backward()  # the gradient is 1: the weight moves by the learning rate
            optimizer.step()
        used.append(float("%.2g" % (before - weight.item())))
        rates.append(float("%.2g" % optimizer.param_groups[0]["lr"]))  # FIX: what it uses
        last.append(float("%.2g" % scheduler.get_last_lr()[0]))
        scheduler.step()

    healthy = used == rates == last == wanted
    print("OBSERVED", json.dumps({"healthy": healthy, "logged_by_epoch": rates,
                                  "used_by_epoch": used}))
    sys.exit(0 if healthy else 1)
