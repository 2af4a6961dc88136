"""A1: the forward fails because `q *= scale` writes to an output of chunk().

The outputs of chunk, split and unbind are views of one tensor. Autograd cannot follow a write to
one of several views, so it refuses it at once.

Symptom: RuntimeError: Output 0 of Split is a view and is being modified inplace
Needs:   torch; cpu; about 2 s
Run:     python broken_chunk.py
"""
import json
import sys

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(8, 24)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q *= 8 ** -0.5  # BUG: writes to one of several views
        return torch.softmax(q @ k.transpose(-1, -2), dim=-1) @ v


def train(model, x, steps=10):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (model(x) - 1).pow(2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)  # small tensors, and other work on this machine
    losses = train(Attention(), torch.randn(4, 6, 8))

    healthy = losses[-1] < 0.9 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(losses),
                                  "loss_first_and_last": [round(losses[0], 2),
                                                          round(losses[-1], 2)]}))
    sys.exit(0 if healthy else 1)
