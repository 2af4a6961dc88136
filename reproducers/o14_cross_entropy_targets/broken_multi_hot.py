"""O14: CrossEntropyLoss reads several labels per sample as probabilities.

Floats of the shape of the logits are read as one probability for each class. A row with several
ones then adds up to more than 1, and the loss has no minimum near 0.

Symptom: nothing is raised; the loss of perfect logits is 1.52, not 0
Needs:   torch; cpu; about 2 s
Run:     python broken_multi_hot.py; python fix_multi_label.py
"""
import inspect
import json
import sys

import torch
from torch import nn

if "label_smoothing" not in inspect.signature(nn.CrossEntropyLoss).parameters:
    print("SKIPPED class probabilities need torch 1.10")
    sys.exit(77)

torch.manual_seed(0)
labels = torch.tensor([[1., 1, 0], [0, 1, 1], [1, 1, 1], [0, 0, 1]])  # several of 3 classes
logits = labels * 20 - 10  # a perfect, confident prediction

if __name__ == "__main__":
    loss = nn.CrossEntropyLoss()(logits, labels)  # BUG: they count as probabilities

    row_sums = labels.sum(1).tolist()
    healthy = loss.item() < 0.01
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4),
                                  "row_sums_of_target": row_sums}))
    sys.exit(0 if healthy else 1)
