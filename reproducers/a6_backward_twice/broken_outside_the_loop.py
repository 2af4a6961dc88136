"""A6: a result of the parameters is computed once, before the loop.

`weights` belongs to a graph that the first backward() frees. It would also never change, because
it is not computed again after a step.

Symptom: RuntimeError: Trying to backward through the graph a second time [...]
Needs:   torch; cpu; about 2 s
Run:     python broken_outside_the_loop.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
logits = nn.Parameter(torch.zeros(4))
optimizer = torch.optim.SGD([logits], lr=1.0)
inputs = torch.randn(32, 4)
targets = inputs[:, 1]
weights = torch.softmax(logits, dim=0)  # BUG: computed once, used in each step


def training_step():
    loss = (inputs @ weights - targets).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


if __name__ == "__main__":
    torch.set_num_threads(1)
    losses = [training_step() for _ in range(10)]

    healthy = losses[-1] < 0.9 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(losses),
                                  "loss_first_and_last": [round(losses[0], 2),
                                                          round(losses[-1], 2)]}))
    sys.exit(0 if healthy else 1)
