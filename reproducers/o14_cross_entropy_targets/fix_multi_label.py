"""O14: BCEWithLogitsLoss takes several labels per sample.

BCEWithLogitsLoss judges each class by itself, so several classes can be right at the same time.

Symptom: none: the loss of perfect logits is 0
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
