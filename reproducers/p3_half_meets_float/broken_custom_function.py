"""P3: a custom autograd function under autocast fails in backward.

forward() runs under autocast, which casts its matrix product. backward() runs without it, on
tensors of two dtypes.

Symptom: expected m1 and m2 to have the same dtype, but got: c10::BFloat16 != float
Needs:   torch; cpu; about 2 s
Run:     python broken_custom_function.py; python fix_custom_function.py
"""
import json
import sys

import torch
from torch import nn

half = torch.bfloat16  # the same rules as float16, and every CPU has it

if not hasattr(torch, "autocast"):
    print("SKIPPED torch.autocast came with torch 1.10")
    sys.exit(77)


class Times(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        return grad @ weight.t(), x.t() @ grad


if __name__ == "__main__":
    torch.manual_seed(0)
    weight = torch.randn(4, 2, requires_grad=True)
    with torch.autocast("cpu", dtype=half):
        features = nn.Linear(8, 4)(torch.randn(16, 8))
        scores = Times.apply(features, weight)  # BUG: autocast in forward only
    scores.sum().backward()

    healthy = weight.grad is not None and weight.grad.dtype == torch.float32
    print("OBSERVED", json.dumps({"healthy": healthy, "dtype": str(scores.dtype)}))
    sys.exit(0 if healthy else 1)
