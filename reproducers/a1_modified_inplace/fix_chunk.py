"""A1: `q = q * scale` makes a new tensor.

The outputs of chunk, split and unbind are views of one tensor. The product is a new tensor.

Symptom: none: the loss falls
Needs:   torch; cpu; about 2 s
Run:     python fix_chunk.py
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
        q = q * 8 ** -0.5  # FIX: a new tensor
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
