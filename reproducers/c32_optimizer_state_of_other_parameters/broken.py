"""C32: the optimizer state of a model with 10 classes is loaded for a model with 6.

load_state_dict() of an optimizer matches parameters by position and does not compare shapes. The
first step() multiplies the old moments with the new gradients.

Symptom: RuntimeError: The size of tensor a (10) must match the size of tensor b (6)
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

old_classes, new_classes = 10, 6


def train(model, optimizer, steps):
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.ones(2, 4)).pow(2).sum().backward()
        optimizer.step()


if __name__ == "__main__":
    old = nn.Linear(4, old_classes)
    optimizer = torch.optim.AdamW(old.parameters())
    train(old, optimizer, steps=2)
    same_size, other_size = nn.Linear(4, old_classes), nn.Linear(4, new_classes)
    moments = []
    for model in (same_size, other_size):
        saved = optimizer.state_dict()
        resumed = torch.optim.AdamW(model.parameters())
        resumed.load_state_dict(saved)  # BUG: the second model has other shapes
        moments.append(len(resumed.state))
        train(model, resumed, steps=1)

    healthy = moments == [2, 0] and len(resumed.state) == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "states_loaded_by_model": moments}))
    sys.exit(0 if healthy else 1)
