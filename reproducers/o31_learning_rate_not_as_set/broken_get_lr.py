"""O31: get_lr() is logged, and is wrong in the epochs in which the rate changes.

get_lr() repeats the computation of the last step(), from the rate that is there now. At a milestone
it multiplies a second time. The training itself is right.

Symptom: 0.001 in the log of an epoch that trained with 0.01
Needs:   torch; cpu; about 3 s
Run:     python broken_get_lr.py
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
    used, rates = [], []
    for epoch in range(epochs):
        for batch in range(batches):
            before = weight.item()
            optimizer.zero_grad()
            weight.sum().backward()  # the gradient is 1: the weight moves by the learning rate
            optimizer.step()
        used.append(float("%.2g" % (before - weight.item())))
        rates.append(float("%.2g" % scheduler.get_lr()[0]))  # BUG: not the rate that is in use
        scheduler.step()

    healthy = rates == wanted
    print("OBSERVED", json.dumps({"healthy": healthy, "logged_by_epoch": rates,
                                  "used_by_epoch": used}))
    sys.exit(0 if healthy else 1)
