"""O31: StepLR(optimizer, 0.1) takes the factor as the step size.

The second argument is step_size, a number of epochs. No epoch is a multiple of 0.1 in floating
point (1 % 0.1 is 0.09999999999999995), so the rate never changes. With 0.5 it falls every epoch.

Symptom: 0.1 in all epochs
Needs:   torch; cpu; about 3 s
Run:     python broken_step_size_is_gamma.py
"""
import json
import sys

import torch

epochs, batches = 6, 5
wanted = [0.1, 0.1, 0.01, 0.01, 0.001, 0.001]  # by epoch


if __name__ == "__main__":
    weight = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 0.1)  # BUG: step_size=0.1
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
