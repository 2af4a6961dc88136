"""S12: a function with its own backward() uses reshape() on the gradient.

The forward pass is contiguous. The layer behind it is a transpose, so the gradient that arrives
is a transposed tensor. reshape() copies it.

Symptom: none: the gradient of the factor is right
Needs:   torch; cpu; about 2 s
Run:     python fix_backward.py
"""
import json
import sys

import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x, factor)
        return x * factor

    @staticmethod
    def backward(ctx, gradient):
        x, factor = ctx.saved_tensors
        by_factor = (gradient.reshape(-1) * x.view(-1)).sum()  # FIX: copies if it must
        return gradient * factor, by_factor


if __name__ == "__main__":
    torch.manual_seed(0)
    x, weights = torch.randn(4, 3), torch.randn(3, 4)
    factor = torch.ones((), requires_grad=True)
    loss = (Scale.apply(x, factor).t() * weights).sum()
    loss.backward()

    healthy = torch.allclose(factor.grad, (x.t() * weights).sum())
    print("OBSERVED", json.dumps({"healthy": healthy, "gradient": round(factor.grad.item(), 3)}))
    sys.exit(0 if healthy else 1)
