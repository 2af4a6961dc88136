"""O36: a distribution is the first to report the nan that an earlier step made.

The reward of one step is infinite. The policy gradient is nan, and the step makes all weights nan.
The error comes from the next forward pass, in a line that is correct.

Symptom: ValueError: Expected parameter loc (...) to satisfy the constraint Real(), ...
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
        optimizer.step()  # BUG: the gradients of the eleventh step are not finite
        steps += 1

    healthy = steps == 19 and skipped == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps, "skipped": skipped}))
    sys.exit(0 if healthy else 1)
