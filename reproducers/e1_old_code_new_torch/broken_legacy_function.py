"""E1: an autograd function that is called as an object.

Since torch 1.5 forward() and backward() are static, and the function is called by apply().

Symptom: RuntimeError: Legacy autograd function with non-static forward method is deprecated.
Needs:   torch; cpu; about 2 s
Run:     python broken_legacy_function.py; python fix_older_code.py
"""
import json
import sys

import torch


class Reverse(torch.autograd.Function):
    def forward(self, inputs):  # BUG: not static
        return inputs.view_as(inputs)

    def backward(self, gradient):
        return -gradient


if __name__ == "__main__":
    weight = torch.ones(2, requires_grad=True)
    Reverse()(weight).sum().backward()

    healthy = weight.grad.tolist() == [-1, -1]
    print("OBSERVED", json.dumps({"healthy": healthy, "gradient": weight.grad.tolist()}))
    sys.exit(0 if healthy else 1)
