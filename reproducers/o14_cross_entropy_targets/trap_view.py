"""O14: view() in place of transpose() mixes up the logits.

view() changes the shape and moves no number, so the numbers end up in the wrong places. transpose()
moves the axes.

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
