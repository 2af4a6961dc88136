"""S10: BCELoss gets the raw output of a linear layer.

BCELoss takes the logarithm of its input, so the input has to be a probability. A linear layer
returns numbers of any size.

Symptom: RuntimeError: all elements of input should be between 0 and 1
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

num_samples = 64
steps = 50


if __name__ == "__main__":
    torch.manual_seed(0)
    inputs = torch.randn(num_samples, 2)
    labels = (inputs[:, 0] > 0).long()
    model = nn.Linear(2, 1)
    criterion = nn.BCELoss()  # BUG: the model has no sigmoid
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = criterion(model(inputs).squeeze(1), labels.float())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    probability = torch.sigmoid(model(inputs)).squeeze(1)

    accuracy = ((probability > 0.5) == labels.bool()).float().mean().item()
    healthy = len(losses) == steps and losses[-1] < 0.3 < losses[0] and accuracy > 0.9
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": round(accuracy, 2),
                                  "last_loss": round(losses[-1], 2)}))
    sys.exit(0 if healthy else 1)
