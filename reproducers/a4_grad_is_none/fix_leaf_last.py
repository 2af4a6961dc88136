"""A4: requires_grad_() comes last, so the input is a leaf.

backward() fills .grad of leaves that require a gradient.

Symptom: none: the gradient is that of the linear layer
Needs:   torch; cpu; about 2 s
Run:     python fix_leaf_last.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)

model = nn.Linear(8, 1)


def saliency(batch):
    image = (batch * 2 - 1).requires_grad_()  # FIX: scale first, then ask for a gradient
    model(image).sum().backward()
    return image.grad.abs()


if __name__ == "__main__":
    gradient = saliency(torch.rand(4, 8))

    expected = model.weight.abs().expand(4, 8)
    healthy = torch.allclose(gradient, 1.0 * expected)
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(gradient.shape)}))
    sys.exit(0 if healthy else 1)
