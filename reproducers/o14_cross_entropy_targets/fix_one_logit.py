"""O14: BCEWithLogitsLoss takes one logit for two classes.

BCEWithLogitsLoss applies a sigmoid to the one output, so it can learn two classes.

Symptom: none: the loss and its gradient are not 0
Needs:   torch; cpu; about 2 s
Run:     python fix_one_logit.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(0)
inputs = torch.randn(64, 4)
labels = (inputs[:, 0] > 0).float()  # two classes, 0.0 and 1.0
model = nn.Linear(4, 1)  # one output for two classes
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)

if __name__ == "__main__":
    losses = []
    for _ in range(50):
        logits = model(inputs)  # (64, 1)
        loss = nn.BCEWithLogitsLoss()(logits.squeeze(1), labels)  # FIX: one sigmoid
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(abs(round(loss.item(), 3)))

    accuracy = ((model(inputs)[:, 0] > 0) == (labels > 0)).float().mean().item()
    healthy = losses[0] > losses[-1] > 0 and accuracy > 0.9
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": losses[0],
                                  "loss_last": losses[-1], "accuracy": round(accuracy, 2)}))
    sys.exit(0 if healthy else 1)
