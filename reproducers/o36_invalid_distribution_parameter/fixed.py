"""O36: a check before optimizer.step() keeps nan out of the weights and shows the batch.

The reward of one step is infinite. The norm of the gradients shows it before the step, so the step
is skipped, its batch is printed, and all later steps are normal.

Symptom: none: 19 steps of 20, and the batch with the infinite reward is named
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn
from torch.distributions import Normal

torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
rewards = torch.rand(20, 8, 1)
rewards[10, 3] = float("inf")  # a division by zero in the environment, say

if __name__ == "__main__":
    steps = skipped = 0
    for reward in rewards:
        distribution = Normal(policy(torch.rand(8, 4)), torch.ones(2))
        actions = distribution.sample()
        loss = -(distribution.log_prob(actions) * reward).mean()
        optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        if not torch.isfinite(norm):  # FIX: look here, not at the distribution
            print("not finite: loss", loss.item(), "largest reward", reward.max().item())
            skipped += 1
            continue
        optimizer.step()
        steps += 1

    healthy = steps == 19 and skipped == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps, "skipped": skipped}))
    sys.exit(0 if healthy else 1)
