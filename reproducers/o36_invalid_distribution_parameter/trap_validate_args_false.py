"""O36: validate_args=False removes the message, and the policy acts on nan.

The check that fails is the only one that notices that the weights are nan. Without it every
log-probability and every loss is nan until the end of the run.

Symptom: all steps after the eleventh have a loss of nan, and nothing is raised
Needs:   torch; cpu; about 3 s
Run:     python trap_validate_args_false.py
"""
import json
import math
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
    losses = []
    for reward in rewards:
        distribution = Normal(policy(torch.rand(8, 4)), torch.ones(2),
                              validate_args=False)  # BUG: hides that the mean is nan
        actions = distribution.sample()
        loss = -(distribution.log_prob(actions) * reward).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    lost = sum(map(math.isnan, losses))
    healthy = lost == 0 and len(losses) == 20
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(losses), "nan_losses": lost}))
    sys.exit(0 if healthy else 1)
