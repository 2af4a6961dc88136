"""A8: with use_reentrant=False a checkpointed block works with torch.autograd.grad().

Symptom: none: the penalty has a gradient
Needs:   torch; cpu; about 2 s
Run:     python broken_inputs.py; python fix_inputs.py
"""
import json
import sys

import torch
from torch.utils.checkpoint import checkpoint

if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 1):
    print("SKIPPED older versions of torch do not compare the two runs")
    sys.exit(77)

class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        return x + torch.tanh(self.layer(x))


if __name__ == "__main__":
    torch.manual_seed(0)
    block, inputs = Block(), torch.randn(2, 4, requires_grad=True)
    out = checkpoint(block, inputs, use_reentrant=False)  # FIX: a graph like any other
    slope, = torch.autograd.grad(out.sum(), inputs, create_graph=True)
    slope.pow(2).sum().backward()

    healthy = block.layer.weight.grad is not None
    print("OBSERVED", json.dumps({"healthy": healthy, "slopes": list(slope.shape)}))
    sys.exit(0 if healthy else 1)
