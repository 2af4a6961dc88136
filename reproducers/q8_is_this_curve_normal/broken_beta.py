"""Q8: a preference loss with beta 0 is ln 2 in each step.

The rewards are beta times a difference, so they are 0, and so is the gradient.

Symptom: no error: a loss of 0.6931 and rewards of 0
Needs:   torch; cpu; about 3 s
Run:     python broken_beta.py
"""
import json
import sys

import torch
from torch.nn.functional import logsigmoid

torch.manual_seed(0)
torch.set_num_threads(1)
beta = 0.0  # BUG: rewards and gradients are 0


if __name__ == "__main__":
    reference = torch.zeros(2)  # log-probabilities of the chosen and the rejected answer
    policy = torch.zeros(2, requires_grad=True)
    optimizer = torch.optim.Adam([policy], lr=0.05)
    losses = []
    for step in range(50):
        rewards = beta * (policy - reference)
        loss = -logsigmoid(rewards[0] - rewards[1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    healthy = losses[-1] < losses[0]

    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(losses[-1], 4)}))
    sys.exit(0 if healthy else 1)
