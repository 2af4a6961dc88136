"""O14: class weights from counts are too short if the last class does not occur.

bincount() counts up to the highest label that it sees. Class 2 is not among these labels, so there
are weights for two classes, and logits for three.

Symptom: RuntimeError: weight tensor should be defined either for all 3 classes or no classes
Needs:   torch; cpu; about 2 s
Run:     python broken_class_weights.py; python fix_class_weights.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
classes = 3
logits = torch.randn(4, classes)
labels = torch.tensor([1, 0, 1, 1])

if __name__ == "__main__":
    counts = torch.bincount(labels)  # BUG: two numbers, since label 2 does not occur
    weight = 1 / counts.clamp(min=1).float()
    loss = nn.CrossEntropyLoss(weight=weight)(logits, labels)

    each = -torch.log_softmax(logits, 1)[range(4), labels]
    by_hand = (each * weight[labels]).sum() / weight[labels].sum()
    healthy = torch.allclose(loss, by_hand)
    print("OBSERVED", json.dumps({"healthy": healthy, "weights": len(weight),
                                  "loss": round(loss.item(), 4)}))
    sys.exit(0 if healthy else 1)
