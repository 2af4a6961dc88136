"""A1: backward() fails because a loop writes each state into one tensor.

The cell keeps the previous state for backward(). That state is a view of `states`, and every
later `states[t] = ...` counts as a write to the whole tensor.

Symptom: RuntimeError: one of the variables needed for gradient computation has been modified
Needs:   torch; cpu; about 2 s
Run:     python broken_write_in_loop.py
"""
import json
import sys

import torch
from torch import nn


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 8)

    def forward(self, x):
        states = torch.zeros(len(x) + 1, x.shape[1], 8)
        for t in range(len(x)):
            states[t + 1] = self.cell(x[t], states[t])  # BUG: writes to what earlier steps kept
        return states[1:]


def train(model, x, steps=10):
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (model(x) - 0.5).pow(2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)  # small tensors, and other work on this machine
    losses = train(Recurrent(), torch.randn(5, 16, 4))

    healthy = losses[-1] < 0.9 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(losses),
                                  "loss_first_and_last": [round(losses[0], 2),
                                                          round(losses[-1], 2)]}))
    sys.exit(0 if healthy else 1)
