"""A8: the block keeps nothing between its calls, so the recomputed tensors have the same shapes.

Symptom: none: the weights have gradients
Needs:   torch; cpu; about 2 s
Run:     python broken_shape.py; python fix_shape.py
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
        return torch.tanh(self.layer(x))  # FIX: no cache in training


if __name__ == "__main__":
    torch.manual_seed(0)
    block, inputs = Block(), torch.randn(2, 4, requires_grad=True)
    checkpoint(block, inputs, use_reentrant=False).sum().backward()

    weight = block.layer.weight
    healthy = weight.grad is not None and inputs.grad is not None
    print("OBSERVED", json.dumps({"healthy": healthy, "gradients": list(weight.grad.shape)}))
    sys.exit(0 if healthy else 1)
