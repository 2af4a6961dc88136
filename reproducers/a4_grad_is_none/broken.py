"""A4: the loop over the gradients reaches a parameter that the loss does not use.

A parameter that the loss does not depend on gets no gradient, and its .grad stays None.

Symptom: AttributeError: 'NoneType' object has no attribute 'data'
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head, self.aux = nn.Linear(8, 8), nn.Linear(8, 1), nn.Linear(8, 1)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))  # aux is used in another mode


model = Detector()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.randn(32, 8)
targets = inputs.sum(dim=1, keepdim=True)


def training_step():
    loss = (model(inputs) - targets).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    for p in model.parameters():
        p.grad.data.mul_(0.5)  # BUG: None for the parameters of aux
    optimizer.step()
    return loss.item()


if __name__ == "__main__":
    torch.set_num_threads(1)
    losses = [training_step() for _ in range(10)]

    healthy = losses[-1] < 0.9 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(losses),
                                  "loss_first_and_last": [round(losses[0], 2),
                                                          round(losses[-1], 2)]}))
    sys.exit(0 if healthy else 1)
