"""O31: optimizer.lr = 0.01 sets an attribute that nothing reads.

The optimizer reads the rate from its parameter groups. Python lets you add any attribute to it.

Symptom: the rate stays at 0.1
Needs:   torch; cpu; about 3 s
Run:     python trap_set_attribute.py
"""
import json
import sys

import torch

epochs, batches = 6, 5
wanted = [0.01] * 6  # by epoch


if __name__ == "__main__":
    weight = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    optimizer.lr = 0.01  # BUG: nobody reads this; param_groups[0]["lr"] is the rate
    optimizer.defaults["lr"] = 0.01
    rates = []
    for epoch in range(epochs):
        for batch in range(batches):
            before = weight.item()
            optimizer.zero_grad()
            weight.sum().backward()  # the gradient is 1: the weight moves by the learning rate
            optimizer.step()
        rates.append(float("%.2g" % (before - weight.item())))

    healthy = rates == wanted
    print("OBSERVED", json.dumps({"healthy": healthy, "rate_by_epoch": rates}))
    sys.exit(0 if healthy else 1)
