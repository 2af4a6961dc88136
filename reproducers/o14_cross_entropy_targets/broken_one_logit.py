"""O14: CrossEntropyLoss over one logit is always 0.

The softmax over a single class is always 1, so the loss is 0 and so is its gradient. Nothing is
learned.

Symptom: one output and float labels of shape (N, 1): the loss is 0 and so is the gradient
Needs:   torch; cpu; about 2 s
Run:     python broken_one_logit.py; python fix_one_logit.py
"""
import inspect
import json
import sys

import torch
from torch import nn

if "label_smoothing" not in inspect.signature(nn.CrossEntropyLoss).parameters:
    print("SKIPPED class probabilities need torch 1.10")
    sys.exit(77)

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
        loss = nn.CrossEntropyLoss()(logits, labels[:, None])  # BUG: softmax over 1 class is 1
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(abs(round(loss.item(), 3)))

    accuracy = ((model(inputs)[:, 0] > 0) == (labels > 0)).float().mean().item()
    healthy = losses[0] > losses[-1] > 0 and accuracy > 0.9
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": losses[0],
                                  "loss_last": losses[-1], "accuracy": round(accuracy, 2)}))
    sys.exit(0 if healthy else 1)
