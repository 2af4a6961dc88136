"""O14: CrossEntropyLoss treats the second axis of the logits as the classes.

The second axis of the logits counts as the classes. With logits (batch, time, classes), time is
read as classes; nothing is raised if both have the same length.

Symptom: logits (batch, time, classes) with time == classes are accepted and give a wrong loss
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
    loss = nn.CrossEntropyLoss()(logits, labels)  # BUG: the second axis counts as classes

    by_hand = -torch.log_softmax(logits, 2).gather(2, labels.unsqueeze(2)).mean()
    healthy = torch.allclose(loss, by_hand)
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4),
                                  "by_hand": round(by_hand.item(), 4)}))
    sys.exit(0 if healthy else 1)
