"""O14: BCEWithLogitsLoss takes several labels per sample.

Integers of shape (N) are class numbers 0 .. C-1. Floats of the shape of the logits, (N, C), are one
probability for each class (from torch 1.10 on). The class axis of the logits is the second one. A
target that has neither form raises; one that has such a form by accident gives a wrong loss.

Symptom: the loss of perfect logits is 0
Needs:   torch; cpu; about 2 s
Run:     python fix_multi_label.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
labels = torch.tensor([[1., 1, 0], [0, 1, 1], [1, 1, 1], [0, 0, 1]])  # several of 3 classes
logits = labels * 20 - 10  # a perfect, confident prediction

if __name__ == "__main__":
    loss = nn.BCEWithLogitsLoss()(logits, labels)  # FIX: each class by itself

    row_sums = labels.sum(1).tolist()
    healthy = loss.item() < 0.01
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4),
                                  "row_sums_of_target": row_sums}))
    sys.exit(0 if healthy else 1)
