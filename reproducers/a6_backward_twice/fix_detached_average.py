"""A6: the running average is computed from detached features.

The detached features have the same numbers and no graph, so the average has none.

Symptom: none: the loss falls
Needs:   torch; cpu; about 2 s
Run:     python fix_detached_average.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Linear(8, 4)
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
center = torch.zeros(4)


def training_step():
    global center
    features = encoder(torch.randn(32, 8) + 1)
    center = 0.9 * center + 0.1 * features.detach().mean(dim=0)  # FIX: without the graph
    loss = (features - center).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


if __name__ == "__main__":
    torch.set_num_threads(1)
    losses = [training_step().item() for _ in range(10)]

    healthy = losses[-1] < 0.9 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(losses),
                                  "loss_first_and_last": [round(losses[0], 2),
                                                          round(losses[-1], 2)]}))
    sys.exit(0 if healthy else 1)
