"""N2: an overridden to() is not called when a parent model is moved.

A parent model moves the parameters and buffers of its children. It does not call their to()
methods, so an overridden to() runs only if you call it on the module itself.

Symptom: an overridden to() works on the module itself, but not inside another model
Needs:   torch; cpu; about 2 s
Run:     python trap_override_to.py
"""
import json
import sys

import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.offset = torch.zeros(dim)

    def to(self, *args, **kwargs):
        self.offset = self.offset.to(*args, **kwargs)  # BUG: the parent never calls this
        return super().to(*args, **kwargs)

    def forward(self, x):
        return x * self.weight + self.offset


if __name__ == "__main__":
    alone = Scale(4).to(torch.float64)
    inside = nn.Sequential(Scale(4), nn.Linear(4, 2)).to(torch.float64)[0]

    dtypes = [str(scale.offset.dtype) for scale in (alone, inside)]
    healthy = dtypes == ["torch.float64", "torch.float64"]
    print("OBSERVED", json.dumps({"healthy": healthy, "offset_alone_and_inside": dtypes}))
    sys.exit(0 if healthy else 1)
