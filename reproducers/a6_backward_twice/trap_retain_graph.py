"""A6: retain_graph=True leads to 'modified by an inplace operation'.

With it the graph of the previous chunk is kept, but the optimizer has changed the weights since.
The kept graph needs their old values.

Symptom: RuntimeError: one of the variables needed for gradient computation has been modified
Needs:   torch; cpu; about 2 s
Run:     python trap_retain_graph.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
rnn, head = nn.RNN(4, 8), nn.Linear(8, 4)
optimizer = torch.optim.SGD([*rnn.parameters(), *head.parameters()], lr=0.1)
pattern = torch.eye(4).repeat(6, 1).unsqueeze(1)  # 24 steps of one sequence


def train_epoch(chunk=6):
    losses = []
    hidden = torch.zeros(1, 1, 8)
    for start in range(0, 18, chunk):
        inputs, targets = pattern[start:start + chunk], pattern[start + 1:start + chunk + 1]
        outputs, hidden = rnn(inputs, hidden)
        loss = (head(outputs) - targets).pow(2).mean()
        optimizer.zero_grad()
        loss.backward(retain_graph=True)  # BUG: the weights have changed since
        optimizer.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    torch.set_num_threads(1)
    losses = [loss for _ in range(20) for loss in train_epoch()]

    healthy = losses[-1] < 0.9 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(losses),
                                  "loss_first_and_last": [round(losses[0], 2),
                                                          round(losses[-1], 2)]}))
    sys.exit(0 if healthy else 1)
