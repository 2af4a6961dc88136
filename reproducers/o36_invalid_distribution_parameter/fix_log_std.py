"""O36: the exponential of a bounded parameter is a std that stays positive.

exp() is positive, and the clamp keeps it away from zero and from infinity.

Symptom: none: 500 steps, and the std ends at the lower bound
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
log_std = nn.Parameter(torch.zeros(1))
optimizer = torch.optim.Adam([*mean.parameters(), log_std], lr=0.03)

if __name__ == "__main__":
    inputs = torch.rand(64, 4)
    target = inputs.sum(1, keepdim=True)
    steps = 0
    for _ in range(500):
        std = log_std.clamp(-5, 2).exp()  # FIX: from 0.007 to 7.4
        distribution = Normal(mean(inputs), std)
        loss = -distribution.log_prob(target).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        steps += 1

    healthy = steps == 500 and bool(torch.isfinite(loss)) and 0.006 < std.item() < 0.1
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps, "std": round(std.item(), 4)}))
    sys.exit(0 if healthy else 1)
