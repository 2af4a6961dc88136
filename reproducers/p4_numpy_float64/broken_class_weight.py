"""P4: class weights from numpy are float64.

cross_entropy() multiplies the weights with the float32 logits.

Symptom: RuntimeError: expected scalar type Float but found Double
Needs:   torch, numpy; cpu; about 2 s
Run:     python broken_class_weight.py; python fix_class_weight.py
"""
import json
import sys

import numpy as np
import torch
from torch import nn


if __name__ == "__main__":
    torch.manual_seed(0)
    labels = np.array([0, 0, 0, 1])
    weight = torch.from_numpy(len(labels) / (2 * np.bincount(labels)))  # BUG: float64
    criterion = nn.CrossEntropyLoss(weight=weight)
    logits = torch.randn(4, 2, requires_grad=True)
    loss = criterion(logits, torch.from_numpy(labels))
    loss.backward()

    healthy = loss.dtype == logits.grad.dtype == torch.float32 and loss.item() > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "weight": [round(w, 2) for w in
                                                                 weight.tolist()]}))
    sys.exit(0 if healthy else 1)
