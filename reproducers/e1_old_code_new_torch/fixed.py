"""E1: a training loop that runs on every torch from 1.8 on.

The built-in function next() works on every iterator.

Symptom: none: 6 steps, and the loss falls
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
        inputs, targets = next(batches)  # FIX: the built-in function
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
