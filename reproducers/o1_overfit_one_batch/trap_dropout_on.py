"""O1: with dropout left on, a correct program fails the check.

Dropout changes the network in every step, so the loss in training mode stays high. In eval mode it
is low: the program works.

Symptom: the loss stays above the mark in training mode, and is low in eval mode
Needs:   torch; cpu; about 3 s
Run:     python trap_dropout_on.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Dropout(0.7),
                      nn.Linear(64, 3))  # BUG: left on for the check; so would augmentation be
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
inputs, labels = torch.randn(16, 8), torch.randint(3, (16,))  # one batch, fixed

if __name__ == "__main__":
    losses = []
    for _ in range(100):
        loss = nn.functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    model.eval()
    in_eval_mode = nn.functional.cross_entropy(model(inputs), labels).item()
    last = sum(losses[-20:]) / 20
    healthy = last < 0.05 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": round(losses[0], 3),
                                  "loss_of_last_20": round(last, 3),
                                  "in_eval_mode": round(in_eval_mode, 3)}))
    sys.exit(0 if healthy else 1)
