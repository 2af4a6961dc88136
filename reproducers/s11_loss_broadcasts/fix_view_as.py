"""S11: the targets take the shape of the prediction.

view_as raises if the number of values differs, and it fits any number of dimensions of size 1.

Symptom: none: the loss goes to 0
Needs:   torch; cpu; about 3 s
Run:     python fix_view_as.py
"""
import json
import sys

import torch

inputs = torch.linspace(-1, 1, 32).reshape(-1, 1)
targets = 3 * inputs[:, 0]  # one number for each sample: shape (32,)


def train(model, optimizer):
    losses = []
    for step in range(200):
        prediction = model(inputs)
        loss = torch.nn.functional.mse_loss(prediction, targets.view_as(prediction))  # FIX
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    torch.manual_seed(0)
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = train(model, optimizer)
    predicted = model(inputs).detach().reshape(-1)
    first, last = round(losses[0], 2), round(losses[-1], 2)
    spread = round(float(predicted.std() / targets.std()), 2)  # 0: the same number for all samples

    healthy = len(losses) == 200 and last < 0.01 and spread > 0.99
    print("OBSERVED", json.dumps({"healthy": healthy, "first_loss": first, "last_loss": last,
                                  "spread_of_predictions": spread}))
    sys.exit(0 if healthy else 1)
