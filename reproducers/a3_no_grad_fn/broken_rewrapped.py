"""A3: torch.tensor([...]) of two losses is a new tensor without their graphs.

torch.tensor copies numbers. What it returns is not connected to the losses.

Symptom: RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
Needs:   torch; cpu; about 2 s
Run:     python broken_rewrapped.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.randn(64, 8)


def training_step():
    outputs = model(inputs)
    losses = [(outputs[:, 0] - 1).pow(2).mean(), (outputs[:, 1] + 1).pow(2).mean()]
    loss = torch.tensor(losses).sum()  # BUG: copies the numbers
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


if __name__ == "__main__":
    torch.set_num_threads(1)
    before = model.weight.detach().clone()
    losses = [training_step() for _ in range(10)]

    moved = not torch.equal(before, model.weight)
    healthy = moved and losses[-1] < 0.9 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(losses),
                                  "weights_moved": moved,
                                  "loss_first_and_last": [round(losses[0], 2),
                                                          round(losses[-1], 2)]}))
    sys.exit(0 if healthy else 1)
