"""O14: with the classes on the second axis CrossEntropyLoss is right for sequences.

transpose(1, 2) moves the classes to the second axis, where the loss expects them.

Symptom: none: the loss is the one that the formula gives
Needs:   torch; cpu; about 2 s
Run:     python fix_transpose.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
logits = torch.randn(2, 5, 5)  # (batch, time, classes); 5 tokens, 5 classes
labels = torch.randint(5, (2, 5))

if __name__ == "__main__":
    loss = nn.CrossEntropyLoss()(logits.transpose(1, 2), labels)  # FIX: (batch, classes, time)

    by_hand = -torch.log_softmax(logits, 2).gather(2, labels.unsqueeze(2)).mean()
    healthy = torch.allclose(loss, by_hand)
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4),
                                  "by_hand": round(by_hand.item(), 4)}))
    sys.exit(0 if healthy else 1)
