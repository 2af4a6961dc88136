"""A1: retain_graph=True does not help.

ReLU keeps its output for backward(). `out += x` writes into that tensor, so backward() would
compute with wrong numbers. It compares version counters and raises instead.

Symptom: RuntimeError: one of the variables needed for gradient computation has been modified
Needs:   torch; cpu; about 2 s
Run:     python trap_retain_graph.py
"""
import json
import sys

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.relu = nn.Linear(8, 8), nn.ReLU(inplace=True)

    def forward(self, x):
        out = self.relu(self.linear(x))
        out += x
        return out


def train(block, x, steps=10):
    optimizer = torch.optim.SGD(block.parameters(), lr=0.1)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (block(x) - 1).pow(2).mean()
        loss.backward(retain_graph=True)  # BUG: keeps the overwritten tensor as well
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
