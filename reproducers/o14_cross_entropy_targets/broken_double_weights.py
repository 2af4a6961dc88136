"""O14: class weights from numpy are float64, and the loss refuses them.

numpy computes in float64 (so does sklearn's compute_class_weight), and the logits are float32.

Symptom: RuntimeError: expected scalar type Float but found Double
Needs:   torch, numpy; cpu; about 2 s
Run:     python broken_double_weights.py; python fix_class_weights.py
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
    counts = np.bincount(labels.numpy(), minlength=classes)
    weight = torch.from_numpy(1 / np.maximum(counts, 1))  # BUG: float64
    loss = nn.CrossEntropyLoss(weight=weight)(logits, labels)

    each = -torch.log_softmax(logits, 1)[range(4), labels]
    by_hand = (each * weight[labels]).sum() / weight[labels].sum()
    healthy = torch.allclose(loss, by_hand.float())
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4)}))
    sys.exit(0 if healthy else 1)
