"""A3: the input of the checkpointed block requires a gradient.

The reentrant checkpoint records the block if one of its inputs requires a gradient.

Symptom: none: the loss falls
Needs:   torch; cpu; about 2 s
Run:     python fix_checkpoint_input.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
model = nn.Linear(8, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
inputs = torch.randn(64, 8)
labels = inputs[:, :3].argmax(dim=1)


def training_step():
    logits = checkpoint(model, inputs.requires_grad_())  # FIX: one input needs a gradient
    loss = nn.functional.cross_entropy(logits, labels)
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
