"""O14: squeeze() on the labels fails in a batch of one.

squeeze() removes every axis of length 1. In a batch of one sample that includes the batch axis.
squeeze(1) removes only the second one.

Symptom: ValueError: Expected input batch_size (1) to match target batch_size (0).
Needs:   torch; cpu; about 2 s
Run:     python trap_squeeze.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
logits = torch.randn(4, 3)
table = torch.tensor([[0.5, 2], [1.5, 0], [0.1, 1], [0.9, 2]])  # one feature, one label per row
labels = table[:, 1:].long()

if __name__ == "__main__":
    losses = []
    for start in (0, 3):  # batches of 3 and of 1
        target = labels[start:start + 3].squeeze()  # BUG: (3, 1) -> (3), but (1, 1) -> ()
        losses.append(nn.CrossEntropyLoss(reduction="sum")(logits[start:start + 3], target))
    loss = sum(losses) / 4

    by_hand = -torch.log_softmax(logits, 1)[range(4), [2, 0, 1, 2]].mean()
    healthy = torch.allclose(loss, by_hand)
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4),
                                  "by_hand": round(by_hand.item(), 4)}))
    sys.exit(0 if healthy else 1)
