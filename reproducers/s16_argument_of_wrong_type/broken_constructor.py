"""S16: the loss is called like a function, so its settings are the output and the labels.

nn.CrossEntropyLoss is a class. It has to be created once, and the object is called with tensors.

Symptom: RuntimeError: Boolean value of Tensor with more than one value is ambiguous
Needs:   torch; cpu; about 2 s
Run:     python broken_constructor.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    torch.manual_seed(0)
    inputs, labels = torch.randn(12, 8), torch.arange(12) % 3
    model = nn.Linear(8, 3)
    loss = nn.CrossEntropyLoss(model(inputs), labels)  # BUG: creates a loss, and computes none
    loss.backward()

    healthy = bool(model.weight.grad.abs().sum() > 0)
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
