"""O14: CrossEntropyLoss takes class numbers of shape (N), int64.

Class numbers from 0 to C-1, as int64 and with one dimension fewer than the logits, are the form
that the loss expects.

Symptom: none: the loss is the one that the formula gives
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
logits = torch.randn(4, 3)
table = torch.tensor([[0.5, 2], [1.5, 0], [0.1, 1], [0.9, 2]])  # one feature, one label per row
labels = table[:, 1].long()  # FIX: class numbers, int64, shape (4)

if __name__ == "__main__":
    loss = nn.CrossEntropyLoss()(logits, labels)

    by_hand = -torch.log_softmax(logits, 1)[range(4), [2, 0, 1, 2]].mean()
    healthy = torch.allclose(loss, by_hand)
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4),
                                  "by_hand": round(by_hand.item(), 4)}))
    sys.exit(0 if healthy else 1)
