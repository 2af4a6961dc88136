"""S17: an output of the model is turned into a numpy array.

The output has a graph, and an array cannot have one.

Symptom: RuntimeError: Can't call numpy() on Tensor that requires grad.
Needs:   torch, numpy; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import numpy as np
import torch
from torch import nn

torch.manual_seed(0)


if __name__ == "__main__":
    model = nn.Linear(3, 2)
    x, labels = torch.randn(6, 3), np.array([0, 1, 0, 1, 1, 0])
    logits = model(x)
    scores = logits.numpy()  # BUG: it requires a gradient
    predicted = scores.argmax(1)
    matrix = [[int(((labels == a) & (predicted == b)).sum()) for b in (0, 1)] for a in (0, 1)]

    healthy = sum(map(sum, matrix)) == 6

    print("OBSERVED", json.dumps({"healthy": healthy, "matrix_by_label_and_prediction": matrix}))
    sys.exit(0 if healthy else 1)
