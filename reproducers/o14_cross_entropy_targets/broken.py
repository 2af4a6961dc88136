"""O14: CrossEntropyLoss refuses labels of shape (N, 1).

CrossEntropyLoss expects class numbers as a tensor of shape (N). A column of a table, or labels with
an extra axis, has shape (N, 1).

Symptom: RuntimeError: 0D or 1D target tensor expected, multi-target not supported
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
labels = table[:, 1:].long()  # BUG: a column is (4, 1), not (4)

if __name__ == "__main__":
    loss = nn.CrossEntropyLoss()(logits, labels)

    by_hand = -torch.log_softmax(logits, 1)[range(4), [2, 0, 1, 2]].mean()
    healthy = torch.allclose(loss, by_hand)
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4),
                                  "by_hand": round(by_hand.item(), 4)}))
    sys.exit(0 if healthy else 1)
