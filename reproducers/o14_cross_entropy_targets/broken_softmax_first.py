"""O14: a softmax before CrossEntropyLoss keeps the loss up.

CrossEntropyLoss applies log_softmax itself. Applied to probabilities, it flattens them, and even a
perfect prediction has a loss.

Symptom: the loss of a perfect prediction is 0.5514, not 0
Needs:   torch; cpu; about 2 s
Run:     python broken_softmax_first.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
labels = torch.tensor([2, 0, 1, 2])
logits = nn.functional.one_hot(labels, 3) * 100.0  # a perfect, confident prediction

if __name__ == "__main__":
    probabilities = logits.softmax(1)  # BUG: the loss applies log_softmax by itself
    loss = nn.CrossEntropyLoss()(probabilities, labels)

    by_hand = -torch.log_softmax(logits, 1)[range(4), [2, 0, 1, 2]].mean()
    healthy = abs(loss.item() - by_hand.item()) < 0.01
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4),
                                  "by_hand": round(by_hand.item(), 4)}))
    sys.exit(0 if healthy else 1)
