"""O31: a cosine schedule with too small a T_max lets the rate rise again.

T_max is the number of steps until the lowest rate. After that the cosine rises, and after twice
T_max it is back at the first rate.

Symptom: 0.1 in the last epoch instead of a rate near 0
Needs:   torch; cpu; about 3 s
Run:     python broken_cosine_rises.py
"""
import json
import sys

import torch

epochs, batches = 7, 5
at_most = 0.05  # in the second half


if __name__ == "__main__":
    weight = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=3)  # BUG: 6 epochs
    rates = []
    for epoch in range(epochs):
        for batch in range(batches):
            before = weight.item()
            optimizer.zero_grad()
            weight.sum().backward()  # the gradient is 1: the weight moves by the learning rate
            optimizer.step()
        rates.append(float("%.2g" % (before - weight.item())))
        scheduler.step()

    healthy = max(rates[4:]) < at_most
    print("OBSERVED", json.dumps({"healthy": healthy, "rate_by_epoch": rates}))
    sys.exit(0 if healthy else 1)
