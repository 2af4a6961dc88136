"""O36: with nan_to_num on the logits, a policy whose weights are nan acts at random.

The nan is in the weights, so nan_to_num makes every logit 0: sampling works again, and every action
is equally likely in every state. An action that the bad batch did not contain may get weights of
-inf instead, and is never chosen again.

Symptom: nothing is raised, and the logits are 0.0 or -3.4e38 in every state
Needs:   torch; cpu; about 3 s
Run:     python trap_nan_to_num_logits.py
"""
import json
import sys

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Linear(4, 3)
optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)

if __name__ == "__main__":
    spread = []
    for reward in (1.0, float("inf"), 1.0):
        inputs = torch.rand(8, 4)
        logits = torch.nan_to_num(policy(inputs))  # BUG: the weights stay nan
        distribution = Categorical(logits=logits)
        loss = -(distribution.log_prob(distribution.sample()) * reward).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        spread.append((logits.max() - logits.min()).item())
    finite = all(torch.isfinite(p).all() for p in policy.parameters())
    print("weights finite:", finite, "inputs finite:", bool(torch.isfinite(inputs).all()))

    healthy = all(spread) and finite
    print("OBSERVED", json.dumps({"healthy": healthy, "logits_differ_by": round(spread[0], 2),
                                  "logits_differ_by_at_the_end": spread[-1]}))
    sys.exit(0 if healthy else 1)
