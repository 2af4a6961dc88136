"""A3: gradients are still switched off in the second epoch.

set_grad_enabled(False) as a plain call stays in force after the function. The first epoch trains,
and the first step of the second epoch fails.

Symptom: RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
Needs:   torch; cpu; about 2 s
Run:     python broken_switched_off.py
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
    torch.set_grad_enabled(False)  # BUG: nobody switches it on again
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
