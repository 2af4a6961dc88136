"""S16: a training loop collects the labels of a batch in a list and gives the list to the loss.

A function of torch takes tensors. It does not convert a list or a numpy array by itself.

Symptom: TypeError: cross_entropy_loss(): argument 'target' (position 2) must be Tensor, not list
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn


def make_batch(samples):
    inputs = torch.stack([x for x, _ in samples])
    labels = [label for _, label in samples]  # BUG: a list of int
    return inputs, labels


if __name__ == "__main__":
    torch.manual_seed(0)
    samples = [(torch.randn(8), i % 3) for i in range(12)]
    model, criterion = nn.Linear(8, 3), nn.CrossEntropyLoss()
    inputs, labels = make_batch(samples)
    loss = criterion(model(inputs), labels)
    loss.backward()

    healthy = bool(model.weight.grad.abs().sum() > 0)
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 3)}))
    sys.exit(0 if healthy else 1)
