"""O31: ConstantLR without arguments uses a third of the rate for the first five epochs.

Its defaults are factor=1/3 and total_iters=5: it is a warm-up, and not a rate that stays constant.

Symptom: 0.033 in the first five epochs instead of 0.1
Needs:   torch; cpu; about 3 s
Run:     python broken_constant.py
"""
import json
import sys

import torch

epochs, batches = 6, 5
wanted = [0.1] * 6  # by epoch


if __name__ == "__main__":
    if not hasattr(torch.optim.lr_scheduler, "ConstantLR"):
        print("SKIPPED this torch has no ConstantLR")
        sys.exit(77)
    weight = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scheduler = torch.optim.lr_scheduler.ConstantLR(optimizer)  # BUG: factor=1/3
    rates = []
    for epoch in range(epochs):
        for batch in range(batches):
            before = weight.item()
            optimizer.zero_grad()
            weight.sum().backward()  # the gradient is 1: the weight moves by the learning rate
            optimizer.step()
        rates.append(float("%.2g" % (before - weight.item())))
        scheduler.step()

    healthy = rates == wanted
    print("OBSERVED", json.dumps({"healthy": healthy, "rate_by_epoch": rates}))
    sys.exit(0 if healthy else 1)
