"""O14: CrossEntropyLoss refuses class numbers that are floats.

Integers are class numbers. Floats are read as probabilities, which need the shape of the logits, so
floats of shape (N) are refused.

Symptom: RuntimeError: expected target dtype to be Long or Byte, but got Float
Needs:   torch; cpu; about 2 s
Run:     python broken_float_labels.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
logits = torch.randn(4, 3)
table = torch.tensor([[0.5, 2], [1.5, 0], [0.1, 1], [0.9, 2]])  # one feature, one label per row
labels = table[:, 1]  # BUG: float32, the type of the table

if __name__ == "__main__":
    loss = nn.CrossEntropyLoss()(logits, labels)

    by_hand = -torch.log_softmax(logits, 1)[range(4), [2, 0, 1, 2]].mean()
    healthy = torch.allclose(loss, by_hand)
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4),
                                  "by_hand": round(by_hand.item(), 4)}))
    sys.exit(0 if healthy else 1)
