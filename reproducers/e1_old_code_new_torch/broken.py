"""E1: a training loop written for torch 1.8 fails on a newer torch.

The iterator of a DataLoader had a method next(), left over from Python 2. It was removed in torch
1.13.

Symptom: AttributeError: '_SingleProcessDataLoaderIter' object has no attribute 'next'
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset

num_samples = 24
batch_size = 4


def run_epoch(model, loader, optimizer):
    batches = iter(loader)
    losses = []
    for _ in range(len(loader)):
        inputs, targets = batches.next()  # BUG: removed in torch 1.13
        model.train(True)
        loss = (model(inputs) - targets).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    torch.manual_seed(0)
    inputs = torch.randn(num_samples, 3)
    loader = DataLoader(TensorDataset(inputs, inputs.sum(1, keepdim=True)), batch_size=batch_size)
    model = torch.nn.Linear(3, 1)
    losses = run_epoch(model, loader, torch.optim.SGD(model.parameters(), lr=0.2))

    healthy = len(losses) == num_samples // batch_size and losses[-1] < losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(losses)}))
    sys.exit(0 if healthy else 1)
