"""Q8: the loss may go below 0.

It ends at -0.88, where the std is right.

Symptom: none
Needs:   torch; cpu; about 3 s
Run:     python fix_negative_loss.py
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
        loss.backward()  # FIX: below 0 is better
        optimizer.step()
    std = log_std.exp().item()

    healthy = abs(std - 0.1) < 0.02

    print("OBSERVED", json.dumps({"healthy": healthy, "std": round(std, 2)}))
    sys.exit(0 if healthy else 1)
