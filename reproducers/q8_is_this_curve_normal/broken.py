"""Q8: a training is judged by the losses of single steps.

Each step has 2 other samples, so the loss of a step says little about the model. The training is
fine, and half of the pairs of losses rise.

Symptom: no error: the loss seems to go up and down
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
steps = 2400

if __name__ == "__main__":
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.0003)
    losses = []
    for step in range(steps):
        x = torch.randn(2, 8)
        y = ((x.sum(1) + torch.randn(2)) > 0).long()
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    shown = losses[::100]  # BUG: the loss of one step, now and then
    falls = sum(later < earlier for earlier, later in zip(shown, shown[1:]))

    healthy = falls == len(shown) - 1

    print("OBSERVED", json.dumps({"healthy": healthy, "falls": falls, "of": len(shown) - 1}))
    sys.exit(0 if healthy else 1)
