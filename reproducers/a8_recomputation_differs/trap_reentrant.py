"""A8: use_reentrant=True hides the error, and the gradients are those of another forward pass.

The reentrant checkpoint does not compare the two runs. Steps whose forward pass skipped the layer
give it a gradient, and others lose theirs.

Symptom: no error, and other gradients than without a checkpoint
Needs:   torch; cpu; about 2 s
Run:     python trap_reentrant.py
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
        self.skipped = 0

    def forward(self, x):
        if random.random() < 0.5:
            self.skipped += 1
            return x * 1.0
        return x + torch.tanh(self.layer(x))


if __name__ == "__main__":
    torch.manual_seed(0)
    random.seed(0)
    block, inputs = Block(), torch.randn(2, 4, requires_grad=True)
    wrong = 0
    for step in range(steps):
        block.zero_grad()
        block.skipped = 0
        out = checkpoint(block, inputs, use_reentrant=True)  # BUG: compares nothing
        used_in_forward = block.skipped == 0
        out.sum().backward()
        wrong += used_in_forward != (block.layer.weight.grad is not None)

    healthy = wrong == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps, "wrong_steps": wrong}))
    sys.exit(0 if healthy else 1)
