"""O35: skipping the step of a bad batch comes too late for BatchNorm.

The forward pass has already mixed the nan into running_mean and running_var. The weights stay
finite, training goes on, and each evaluation is nan.

Symptom: 0 nan weights, 4 nan running statistics, and the output in eval mode is nan
Needs:   torch; cpu; about 2 s
Run:     python trap_skip_batchnorm.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(nn.BatchNorm1d(2), nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = torch.rand(5, 8, 2)
    batches[2, 3] = float("nan")
    skipped = 0
    for x in batches:
        loss = model(x).pow(2).mean()
        if not torch.isfinite(loss):  # BUG: after the forward pass
            skipped += 1
            continue
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    nan_weights = int(sum(p.isnan().sum() for p in model.parameters()))
    nan_statistics = int(model[0].running_mean.isnan().sum() + model[0].running_var.isnan().sum())
    evaluated = bool(torch.isfinite(model.eval()(batches[0])).all())
    healthy = skipped == 1 and nan_weights == nan_statistics == 0 and evaluated
    print("OBSERVED", json.dumps({"healthy": healthy, "skipped": skipped,
                                  "nan_weights": nan_weights,
                                  "nan_statistics": nan_statistics}))
    sys.exit(0 if healthy else 1)
