"""O37: [0] runs with a regression loss, and the model learns nothing useful.

The output of one sample is broadcast to all targets, with a warning at most.

Symptom: no error, and the error stays as large as the variance of the targets
Needs:   torch; cpu; about 2 s
Run:     python trap_index_zero.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(32, 8)
    targets = x.sum(1, keepdim=True)
    for _ in range(200):
        optimizer.zero_grad()
        output = model(x)[0]  # BUG: the first sample, compared with all targets
        nn.functional.mse_loss(output, targets).backward()
        optimizer.step()

    error = (model(x) - targets).pow(2).mean().item()
    healthy = error < 0.01
    print("OBSERVED", json.dumps({"healthy": healthy, "error": round(error, 1),
                                  "targets_variance": round(targets.var().item(), 1)}))
    sys.exit(0 if healthy else 1)
