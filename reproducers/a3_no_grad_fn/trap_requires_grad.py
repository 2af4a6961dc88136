"""A3: loss.requires_grad_(True) silences the error, and nothing is trained.

The flag makes the loss a new leaf. It does not connect it to the model, so backward() computes no
gradient for any parameter.

Symptom: nothing is raised, and the weights do not change
Needs:   torch; cpu; about 2 s
Run:     python trap_requires_grad.py
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


def training_step():
    logits = model(inputs)
    predicted = logits.argmax(dim=1).float()
    loss = nn.functional.mse_loss(predicted, labels.float())
    loss.requires_grad_(True)  # BUG: a leaf that is connected to nothing
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
