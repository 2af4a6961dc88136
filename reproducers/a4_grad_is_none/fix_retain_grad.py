"""A4: retain_grad() keeps the gradient of a tensor that is not a leaf.

backward() fills .grad of leaves, and of tensors on which retain_grad() was called.

Symptom: none: the gradient is that of the linear layer
Needs:   torch; cpu; about 2 s
Run:     python fix_retain_grad.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)

model = nn.Linear(8, 1)


def saliency(batch):
    image = batch.requires_grad_() * 2 - 1
    image.retain_grad()  # FIX: before backward()
    model(image).sum().backward()
    return image.grad.abs()


if __name__ == "__main__":
    gradient = saliency(torch.rand(4, 8))

    expected = model.weight.abs().expand(4, 8)
    healthy = torch.allclose(gradient, 1.0 * expected)
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(gradient.shape)}))
    sys.exit(0 if healthy else 1)
