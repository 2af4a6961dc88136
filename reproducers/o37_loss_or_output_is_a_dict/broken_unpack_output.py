"""O37: in evaluation mode the model returns one tensor, and the loop takes two outputs.

Python takes a tensor apart along its first axis: 32 rows are too many for two names.

Symptom: ValueError: too many values to unpack (expected 2)
Needs:   torch; cpu; about 2 s
Run:     python broken_unpack_output.py; python fix_unpack.py
"""
import json
import sys

import torch
from torch import nn


class Net(nn.Module):
    """As Inception: in training mode it returns two outputs, in evaluation mode one."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 3)
        self.aux = nn.Linear(8, 3)

    def forward(self, x):
        return (self.head(x), self.aux(x)) if self.training else self.head(x)


if __name__ == "__main__":
    model = Net()
    x = torch.ones(32, 8)
    shapes = []
    for is_training in (True, False):
        model.train(is_training)
        logits, aux_logits = model(x)  # BUG: one tensor in evaluation mode
        shapes.append(list(logits.shape))

    healthy = shapes == [[32, 3], [32, 3]]
    print("OBSERVED", json.dumps({"healthy": healthy, "shapes": shapes}))
    sys.exit(0 if healthy else 1)
