"""A3: `with torch.no_grad():` ends with its block.

no_grad() as a context manager restores the previous state at the end of the block.

Symptom: none: both epochs train
Needs:   torch; cpu; about 2 s
Run:     python fix_no_grad_block.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
inputs = torch.randn(64, 8)
labels = inputs[:, :3].argmax(dim=1)


def train_epoch(steps=5):
    losses = []
    for _ in range(steps):
        loss = nn.functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def validate():
    with torch.no_grad():  # FIX: ends with the block
        return (model(inputs).argmax(dim=1) == labels).float().mean().item()


if __name__ == "__main__":
    torch.set_num_threads(1)
    before = model.weight.detach().clone()
    losses = []
    for _ in range(2):
        losses += train_epoch()
        accuracy = validate()

    moved = not torch.equal(before, model.weight)
    healthy = moved and losses[-1] < 0.9 * losses[0] and accuracy > 0.5
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(losses),
                                  "weights_moved": moved,
                                  "accuracy": round(accuracy, 2),
                                  "loss_first_and_last": [round(losses[0], 2),
                                                          round(losses[-1], 2)]}))
    sys.exit(0 if healthy else 1)
