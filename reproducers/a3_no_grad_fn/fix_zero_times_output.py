"""A3: a batch without any object gets a loss that is zero and has a graph.

Zero times the outputs is zero and is connected to the model, so backward() gives zero gradients.

Symptom: none: all 20 steps run, and the loss falls
Needs:   torch; cpu; about 2 s
Run:     python fix_zero_times_output.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
batches = [torch.randn(8, 8) for _ in range(4)]
objects_by_batch = [[0, 3], [1], [], [2, 5]]


def training_step(inputs, objects):
    outputs = model(inputs)
    loss = 0 * outputs.sum()  # FIX: zero, and connected to the model
    for index in objects:
        loss = loss + (outputs[index] - 1).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


if __name__ == "__main__":
    torch.set_num_threads(1)
    before = model.weight.detach().clone()
    losses = [training_step(*batch) for _ in range(5) for batch in zip(batches, objects_by_batch)]

    moved = not torch.equal(before, model.weight)
    healthy = moved and sum(losses[-4:]) < 0.9 * sum(losses[:4])
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(losses),
                                  "weights_moved": moved,
                                  "loss_first_and_last_epoch": [round(sum(losses[:4]), 2),
                                                                round(sum(losses[-4:]), 2)]}))
    sys.exit(0 if healthy else 1)
