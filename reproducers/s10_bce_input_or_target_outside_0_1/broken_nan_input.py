"""S10: a nan in the prediction fails in the same way, although there is a sigmoid.

One value of the batch is nan, for example an empty cell of a table. The sigmoid of nan is nan, and
nan is not between 0 and 1.

Symptom: RuntimeError: all elements of input should be between 0 and 1
Needs:   torch; cpu; about 2 s
Run:     python broken_nan_input.py; python fix_check_batch.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    torch.manual_seed(0)
    inputs = torch.randn(8, 2)
    inputs[3, 1] = float("nan")  # BUG: one value of the data is missing
    labels = (inputs[:, 0] > 0).float()
    model = nn.Sequential(nn.Linear(2, 1), nn.Sigmoid())
    loss = nn.BCELoss()(model(inputs).squeeze(1), labels)

    healthy = 0 < loss.item() < 10
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": loss.item()}))
    sys.exit(0 if healthy else 1)
