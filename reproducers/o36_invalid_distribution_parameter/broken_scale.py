"""O36: a std that is a plain parameter is pushed below zero by the optimizer.

All numbers are finite. The loss asks for a smaller std, and nothing stops it at zero.

Symptom: ValueError: Expected parameter scale (...) to satisfy the constraint GreaterThan(...)
Needs:   torch; cpu; about 3 s
Run:     python broken_scale.py; python fix_log_std.py
"""
import json
import sys

import torch
from torch import nn
from torch.distributions import Normal

torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(0)
mean = nn.Linear(4, 1)
nn.init.ones_(mean.weight)  # the mean predicts the target well already
nn.init.zeros_(mean.bias)
std = nn.Parameter(torch.ones(1))  # BUG: nothing keeps it positive
optimizer = torch.optim.Adam([*mean.parameters(), std], lr=0.03)

if __name__ == "__main__":
    inputs = torch.rand(64, 4)
    target = inputs.sum(1, keepdim=True)
    steps = 0
    for _ in range(500):
        distribution = Normal(mean(inputs), std)
        loss = -distribution.log_prob(target).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        steps += 1

    healthy = steps == 500 and bool(torch.isfinite(loss))
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps, "std": round(std.item(), 4)}))
    sys.exit(0 if healthy else 1)
