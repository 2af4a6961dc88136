"""O31: the function of LambdaLR returns a rate, and is multiplied by the rate.

LambdaLR sets the rate to (first rate) x (value of the function). With a function that returns the
rate itself, the rates are multiplied.

Symptom: 0.01 in the first epoch instead of 0.1
Needs:   torch; cpu; about 3 s
Run:     python broken_lambda_returns_rate.py
"""
import json
import sys

import torch

epochs, batches = 6, 5
wanted = [0.1, 0.1, 0.01, 0.01, 0.001, 0.001]  # by epoch


if __name__ == "__main__":
    weight = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda epoch: 0.1 * 0.1 ** (epoch // 2))  # BUG: a factor is wanted
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
