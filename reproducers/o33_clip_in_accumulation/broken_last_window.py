"""O33: the last 2 of 10 micro-batches are never used.

10 is not a multiple of 4, so the gradients of the last two micro-batches are still there at the
end of the epoch. The next zero_grad() deletes them.

Symptom: no error; 2 steps instead of 3
Needs:   torch; cpu; about 2 s
Run:     python broken_last_window.py
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
        (nn.functional.mse_loss(model(x), y) / accumulation).backward()
        if (i + 1) % accumulation == 0:  # BUG: false for the last micro-batch
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
