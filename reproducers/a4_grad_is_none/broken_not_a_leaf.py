"""A4: the gradient of an input is None, because a scaled copy is used.

Any operation after requires_grad_(), also .to(device), .double() or a scaling, makes a new
tensor. backward() fills .grad of leaves only, and the new tensor is not a leaf.

Symptom: AttributeError: 'NoneType' object has no attribute 'abs'
Needs:   torch; cpu; about 2 s
Run:     python broken_not_a_leaf.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)

model = nn.Linear(8, 1)


def saliency(batch):
    image = batch.requires_grad_() * 2 - 1  # BUG: the result is not a leaf
    model(image).sum().backward()
    return image.grad.abs()


if __name__ == "__main__":
    gradient = saliency(torch.rand(4, 8))

    expected = model.weight.abs().expand(4, 8)
    healthy = torch.allclose(gradient, 1.0 * expected)
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(gradient.shape)}))
    sys.exit(0 if healthy else 1)
