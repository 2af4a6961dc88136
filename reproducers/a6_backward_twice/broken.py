"""A6: the hidden state brings the graph of the previous chunk.

backward() frees the graph that it has gone through. The hidden state is still connected to that
graph, so the second step goes into it again.

Symptom: RuntimeError: Trying to backward through the graph a second time [...]
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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
        outputs, hidden = rnn(inputs, hidden)  # BUG: `hidden` has the graph of the last chunk
        loss = (head(outputs) - targets).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
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
