"""O36: a std of nan also gives the message "all elements of std >= 0.0".

Libraries for reinforcement learning switch the validation off. Then torch.normal is the first to
check, and nan >= 0 is false.

Symptom: RuntimeError: normal expects all elements of std >= 0.0, with a std of nan
Needs:   torch; cpu; about 3 s
Run:     python trap_std_message.py
"""
import json
import sys

import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
log_std = nn.Parameter(torch.zeros(2))
optimizer = torch.optim.SGD([log_std], lr=0.1)

if __name__ == "__main__":
    if tuple(int(part) for part in torch.__version__.split(".")[:2]) < (1, 13):
        print("SKIPPED torch.normal of this version does not look for nan")
        sys.exit(77)
    Normal.set_default_validate_args(False)
    samples = []
    for rewards in ([1.0, 2.0], [1.0, float("inf")], [2.0, 1.0]):
        std = log_std.exp().clamp(min=1e-6)  # BUG: a clamp keeps nan as it is
        distribution = Normal(torch.zeros(2), std)
        samples.append(distribution.sample())
        advantage = torch.tensor(rewards) - sum(rewards) / 2  # nan for the second pair
        loss = -(distribution.log_prob(samples[-1]) * advantage).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    healthy = all(torch.isfinite(sample).all() for sample in samples)
    print("OBSERVED", json.dumps({"healthy": healthy, "samples": len(samples)}))
    sys.exit(0 if healthy else 1)
