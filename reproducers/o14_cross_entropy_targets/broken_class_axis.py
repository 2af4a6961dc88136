"""O14: CrossEntropyLoss reads its target in one of two forms, and takes what fits the shapes.

Integers of shape (N) are class numbers 0 .. C-1. Floats of the shape of the logits, (N, C), are one
probability for each class (since torch 1.10). The class dimension of the logits is the second one.
What fits neither raises; what fits by accident gives a loss that means something else.

Symptom: (batch, time, classes) passes when time == classes, and gives another loss
Needs:   torch; cpu; about 2 s
Run:     python broken_class_axis.py; python fix_transpose.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
logits = torch.randn(2, 5, 5)  # (batch, time, classes); 5 tokens, 5 classes
labels = torch.randint(5, (2, 5))

if __name__ == "__main__":
    loss = nn.CrossEntropyLoss()(logits, labels)  # BUG: takes the second axis for the classes

    by_hand = -torch.log_softmax(logits, 2).gather(2, labels.unsqueeze(2)).mean()
    healthy = torch.allclose(loss, by_hand)
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4),
                                  "by_hand": round(by_hand.item(), 4)}))
    sys.exit(0 if healthy else 1)
