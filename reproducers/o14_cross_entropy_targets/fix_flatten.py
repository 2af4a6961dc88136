"""O14: logits and labels of a sequence, both flattened, have the loss of the formula.

view(-1, classes) joins batch and time, and keeps the classes on the last axis. The labels must be
flattened in the same way.

Symptom: none: the loss is the one that the formula gives
Needs:   torch; cpu; about 2 s
Run:     python fix_flatten.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
logits = torch.randn(2, 5, 3)  # (batch, time, classes)
labels = torch.randint(3, (2, 5))

if __name__ == "__main__":
    loss = nn.CrossEntropyLoss()(logits.view(-1, 3), labels.view(-1))  # FIX: (10, 3) and (10)

    by_hand = -torch.log_softmax(logits, 2).gather(2, labels.unsqueeze(2)).mean()
    healthy = torch.allclose(loss, by_hand)
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4),
                                  "by_hand": round(by_hand.item(), 4)}))
    sys.exit(0 if healthy else 1)
