"""A8: the block draws with torch, so backward() repeats the forward pass.

checkpoint() saves the state of torch's random numbers before the block runs, and restores it for
the second run.

Symptom: none: 8 steps
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import random
import sys

import torch
from torch.utils.checkpoint import checkpoint

if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 1):
    print("SKIPPED older versions of torch do not compare the two runs")
    sys.exit(77)

steps = 8


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        if torch.rand(()) < 0.5:  # FIX: repeated in backward()
            return x * 1.0
        return x + torch.tanh(self.layer(x))


if __name__ == "__main__":
    torch.manual_seed(0)
    random.seed(0)
    block, inputs = Block(), torch.randn(2, 4, requires_grad=True)
    for step in range(steps):
        checkpoint(block, inputs, use_reentrant=False).sum().backward()

    healthy = block.layer.weight.grad is not None and inputs.grad is not None
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": step + 1}))
    sys.exit(0 if healthy else 1)
