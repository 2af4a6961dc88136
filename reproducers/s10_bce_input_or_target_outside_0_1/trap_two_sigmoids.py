"""S10: BCEWithLogitsLoss after a sigmoid raises nothing, and its value cannot become small.

The model ends with a sigmoid, and BCEWithLogitsLoss applies a second one. The second one gets
numbers between 0 and 1, so it returns 0.5 to 0.73.

Symptom: the loss of a perfect prediction is 0.5
Needs:   torch; cpu; about 2 s
Run:     python trap_two_sigmoids.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    labels = torch.tensor([0.0, 1.0, 0.0, 1.0])
    perfect = torch.sigmoid((labels - 0.5) * 100)  # the model ends with a sigmoid
    loss = nn.BCEWithLogitsLoss()(perfect, labels)  # BUG: a second sigmoid

    healthy = loss.item() < 0.01
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 2)}))
    sys.exit(0 if healthy else 1)
