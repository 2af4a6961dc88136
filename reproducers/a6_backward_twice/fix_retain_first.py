"""A6: two backward() calls in one step, and the first keeps the graph.

No weight changes between the two calls, so the kept graph is still valid. The second call frees
it.

Symptom: none: the loss falls
Needs:   torch; cpu; about 2 s
Run:     python fix_retain_first.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(8, 8), nn.Tanh())
heads = nn.Linear(8, 1), nn.Linear(8, 1)
optimizer = torch.optim.SGD([*backbone.parameters(), *heads[0].parameters(),
                             *heads[1].parameters()], lr=0.1)
inputs = torch.randn(32, 8)


def training_step():
    features = backbone(inputs)
    loss_a = (heads[0](features) - 1).pow(2).mean()
    loss_b = (heads[1](features) + 1).pow(2).mean()
    optimizer.zero_grad()
    loss_a.backward(retain_graph=True)  # FIX: the next line needs the shared part
    loss_b.backward()
    optimizer.step()
    return (loss_a + loss_b).item()


if __name__ == "__main__":
    torch.set_num_threads(1)
    losses = [training_step() for _ in range(10)]

    healthy = losses[-1] < 0.9 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(losses),
                                  "loss_first_and_last": [round(losses[0], 2),
                                                          round(losses[-1], 2)]}))
    sys.exit(0 if healthy else 1)
