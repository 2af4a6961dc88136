"""A3: only the head learns, because the checkpointed backbone has no graph.

The reentrant checkpoint, the default, looks at the inputs and not at the parameters of the block.
The head behind it has a graph, so backward() raises nothing.

Symptom: a warning, and the weights of the backbone stay as they were
Needs:   torch; cpu; about 2 s
Run:     python broken_checkpoint_part.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
backbone, head = nn.Linear(8, 8), nn.Linear(8, 3)
model = nn.Sequential(backbone, head)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
inputs = torch.randn(64, 8)
labels = inputs[:, :3].argmax(dim=1)


def training_step():
    features = checkpoint(backbone, inputs)  # BUG: no input requires a gradient
    logits = head(features)
    loss = nn.functional.cross_entropy(logits, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


if __name__ == "__main__":
    torch.set_num_threads(1)
    before = backbone.weight.detach().clone()
    losses = [training_step() for _ in range(10)]

    moved = not torch.equal(before, backbone.weight)
    healthy = moved and losses[-1] < 0.9 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(losses),
                                  "backbone_moved": moved,
                                  "loss_first_and_last": [round(losses[0], 2),
                                                          round(losses[-1], 2)]}))
    sys.exit(0 if healthy else 1)
