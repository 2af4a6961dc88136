"""O33: the last window is smaller, and also ends with a step.

The last micro-batch of the epoch also ends a window, and its losses are divided by the size of
that window.

Symptom: none: 3 steps, with the weights of training on full windows
Needs:   torch; cpu; about 2 s
Run:     python fix_last_window.py
"""
import copy
import json
import sys

import torch
from torch import nn

accumulation = 4
torch.manual_seed(0)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = [(torch.randn(16, 8), torch.randn(16, 1)) for _ in range(10)]


def train_epoch():
    steps = 0
    optimizer.zero_grad()
    for i, (x, y) in enumerate(loader):
        window = min(accumulation, len(loader) - i // accumulation * accumulation)
        (nn.functional.mse_loss(model(x), y) / window).backward()
        if (i + 1) % accumulation == 0 or i + 1 == len(loader):  # FIX: also at the end
            optimizer.step()
            optimizer.zero_grad()
            steps += 1
    return steps


def train_on_full_windows(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for window in (loader[0:4], loader[4:8], loader[8:10]):
        x, y = torch.cat([x for x, _ in window]), torch.cat([y for _, y in window])
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    return model.weight.detach()


if __name__ == "__main__":
    expected = train_on_full_windows(copy.deepcopy(model))
    steps = train_epoch()
    relative_error = ((model.weight - expected).norm() / expected.norm()).item()

    healthy = steps == 3 and relative_error < 0.001
    print("OBSERVED", json.dumps({"healthy": healthy, "micro_batches": len(loader),
                                  "steps": steps, "relative_error": round(relative_error, 4)}))
    sys.exit(0 if healthy else 1)
