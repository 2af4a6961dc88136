"""Q8: the absolute value of a negative log-likelihood is minimised.

A density can be above 1, so the loss of a good fit is below 0. abs() makes 0 the best value,
which is a worse fit.

Symptom: no error: a std of 0.24 instead of 0.1
Needs:   torch; cpu; about 3 s
Run:     python trap_abs.py
"""
import json
import sys

import torch

torch.manual_seed(0)
torch.set_num_threads(1)


if __name__ == "__main__":
    target = 0.1 * torch.randn(1000)
    log_std = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.Adam([log_std], lr=0.05)
    for step in range(300):
        loss = -torch.distributions.Normal(0.0, log_std.exp()).log_prob(target).mean()
        optimizer.zero_grad()
        loss.abs().backward()  # BUG: 0 is not the best value
        optimizer.step()
    std = log_std.exp().item()

    healthy = abs(std - 0.1) < 0.02

    print("OBSERVED", json.dumps({"healthy": healthy, "std": round(std, 2)}))
    sys.exit(0 if healthy else 1)
