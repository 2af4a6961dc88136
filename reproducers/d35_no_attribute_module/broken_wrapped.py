"""D35: the opposite: the model is wrapped, and its own attributes are one level deeper.

The wrapper does not pass on the attributes and methods of the model.

Symptom: AttributeError: 'DataParallel' object has no attribute 'encoder'
Needs:   torch; cpu; about 3 s
Run:     python broken_wrapped.py
"""
import json
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 8)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(torch.relu(self.encoder(x)))


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.DataParallel(Net())
    model.encoder.requires_grad_(False)  # BUG: the wrapper has no encoder
    model(torch.ones(2, 4)).sum().backward()

    frozen = sum(p.grad is None for p in model.parameters())
    learns = sum(p.grad is not None for p in model.parameters())
    healthy = frozen == learns == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "frozen": frozen, "trained": learns}))
    sys.exit(0 if healthy else 1)
