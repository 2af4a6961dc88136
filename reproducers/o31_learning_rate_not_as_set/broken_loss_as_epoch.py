"""O31: step(loss) is taken for step(epoch) by every scheduler except ReduceLROnPlateau.

The argument of step() is the epoch for all other schedulers. A loss below the first milestone keeps
the first rate forever.

Symptom: a rate of 0.1 in all epochs
Needs:   torch; cpu; about 3 s
Run:     python broken_loss_as_epoch.py
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
        rates.append(float("%.2g" % (before - weight.item())))
        loss = 1 / (epoch + 1)
        scheduler.step(loss)  # BUG: the loss is taken for the number of the epoch

    healthy = rates == wanted
    print("OBSERVED", json.dumps({"healthy": healthy, "rate_by_epoch": rates}))
    sys.exit(0 if healthy else 1)
