"""A1: ReLU(inplace=False) leaves the input of the other layer as it was.

A linear layer or a convolution keeps its input for backward(). The ReLU returns a new tensor.

Symptom: none: the loss falls
Needs:   torch; cpu; about 2 s
Run:     python fix_inplace_false.py
"""
import json
import sys

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.linear = nn.Linear(8, 8), nn.Linear(8, 8)
        self.relu = nn.ReLU(inplace=False)  # FIX: returns a new tensor

    def forward(self, x):
        h = self.stem(x)
        return self.linear(h) + self.relu(h)


def train(block, x, steps=10):
    optimizer = torch.optim.SGD(block.parameters(), lr=0.1)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (block(x) - 1).pow(2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)  # small tensors, and other work on this machine
    losses = train(Block(), torch.randn(32, 8))

    healthy = losses[-1] < 0.9 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(losses),
                                  "loss_first_and_last": [round(losses[0], 2),
                                                          round(losses[-1], 2)]}))
    sys.exit(0 if healthy else 1)
