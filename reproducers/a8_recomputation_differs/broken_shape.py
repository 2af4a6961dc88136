"""A8: a block keeps state between its calls, so the recomputed tensors have other shapes.

The block appends its input to a cache, as the attention of a language model does with keys and
values. In backward() it runs again, and the cache already has the first run in it.

Symptom: CheckpointError: Recomputed values for the following tensors have different metadata
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
        self.cache = []

    def forward(self, x):
        self.cache.append(self.layer(x))  # BUG: grows again in backward()
        return torch.tanh(torch.cat(self.cache))


if __name__ == "__main__":
    torch.manual_seed(0)
    block, inputs = Block(), torch.randn(2, 4, requires_grad=True)
    checkpoint(block, inputs, use_reentrant=False).sum().backward()

    weight = block.layer.weight
    healthy = weight.grad is not None and inputs.grad is not None
    print("OBSERVED", json.dumps({"healthy": healthy, "gradients": list(weight.grad.shape)}))
    sys.exit(0 if healthy else 1)
