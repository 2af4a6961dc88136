"""O14: one float32 weight for each class, also for a class that does not occur.

minlength= makes bincount() count every class. numpy numbers are float64, so the weights are cast.

Symptom: none: the loss is the weighted mean of the formula
Needs:   torch, numpy; cpu; about 2 s
Run:     python fix_class_weights.py
"""
import json
import sys

import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
classes = 3
logits = torch.randn(4, classes)
labels = torch.tensor([1, 0, 1, 1])

if __name__ == "__main__":
    counts = np.bincount(labels.numpy(), minlength=classes)  # FIX: three numbers
    weight = torch.from_numpy(1 / np.maximum(counts, 1)).float()  # FIX: float32
    loss = nn.CrossEntropyLoss(weight=weight)(logits, labels)

    each = -torch.log_softmax(logits, 1)[range(4), labels]
    by_hand = (each * weight[labels]).sum() / weight[labels].sum()
    healthy = torch.allclose(loss, by_hand) and len(weight) == classes
    print("OBSERVED", json.dumps({"healthy": healthy, "weights": len(weight),
                                  "loss": round(loss.item(), 4)}))
    sys.exit(0 if healthy else 1)
