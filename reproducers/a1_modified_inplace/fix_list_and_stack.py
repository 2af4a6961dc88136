"""A1: a loop that collects the states in a list and stacks them at the end.

The cell keeps the previous state for backward(). Each state is a separate tensor, and no later line
writes to it.

Symptom: none: the loss falls
Needs:   torch; cpu; about 2 s
Run:     python fix_list_and_stack.py
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
        state, states = torch.zeros(x.shape[1], 8), []
        for x_t in x:
            state = self.cell(x_t, state)
            states.append(state)  # FIX: collect the states,
        return torch.stack(states)  # FIX: and make one tensor at the end


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
