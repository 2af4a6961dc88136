"""A1: writing through `.data` silences the error, and the gradient is wrong.

ReLU keeps its output for backward(). A write through .data is not counted, so backward() computes
with the overwritten numbers.

Symptom: the output is right, but the gradient is wrong, and nothing is raised
Needs:   torch; cpu; about 2 s
Run:     python trap_data.py
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
        out.data += x  # BUG: autograd does not count this write
        return out


def reference(block, x):
    """The same numbers, without any write."""
    return torch.relu(block.linear(x)) + x


if __name__ == "__main__":
    torch.manual_seed(0)
    block, x = Block(), torch.randn(32, 8)
    output, expected = block(x), reference(block, x)
    grads = [torch.autograd.grad(out.pow(2).mean(), block.linear.weight)[0]
             for out in (output, expected)]

    same_output = torch.allclose(output, expected)
    same_gradient = torch.allclose(grads[0], grads[1])
    healthy = same_output and same_gradient
    print("OBSERVED", json.dumps({"healthy": healthy, "same_output": same_output,
                                  "same_gradient": same_gradient,
                                  "largest_gradient": round(grads[1].abs().max().item(), 3),
                                  "largest_error": round((grads[0] - grads[1]).abs().max().item(),
                                                         3)}))
    sys.exit(0 if healthy else 1)
