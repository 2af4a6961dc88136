"""O14: view() in place of transpose() mixes up the logits.

Integers of shape (N) are class numbers 0 .. C-1. Floats of the shape of the logits, (N, C), are one
probability for each class (from torch 1.10 on). The class axis of the logits is the second one. A
target that has neither form raises; one that has such a form by accident gives a wrong loss.

Symptom: the shape is the one that the loss asks for, but the numbers are in the wrong places
Needs:   torch; cpu; about 2 s
Run:     python trap_view.py; python fix_transpose.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
logits = torch.randn(2, 6, 5)  # (batch, time, classes); 6 tokens, 5 classes
labels = torch.randint(5, (2, 6))

if __name__ == "__main__":
    loss = nn.CrossEntropyLoss()(logits.view(2, 5, 6), labels)  # BUG: moves no number

    by_hand = -torch.log_softmax(logits, 2).gather(2, labels.unsqueeze(2)).mean()
    healthy = torch.allclose(loss, by_hand)
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4),
                                  "by_hand": round(by_hand.item(), 4)}))
    sys.exit(0 if healthy else 1)
