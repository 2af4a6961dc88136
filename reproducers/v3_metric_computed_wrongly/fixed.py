"""V3: predictions and labels of the same shape are compared.

squeeze(1) removes the axis of length 1.

Symptom: none
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


if __name__ == "__main__":
    labels = torch.randint(2, (100,))
    dataset = TensorDataset(labels[:, None] - 0.5, labels)
    model = nn.Linear(1, 1)
    nn.init.constant_(model.weight, 4.0)
    nn.init.zeros_(model.bias)

    correct, total = 0, 0
    for x, y in DataLoader(dataset, batch_size=20):
        predicted = (model(x) > 0).long()
        correct += (predicted.squeeze(1) == y).sum().item()  # FIX: (20,) == (20,)
        total += len(y)
    accuracy = correct / total

    healthy = accuracy == 1

    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": round(accuracy, 2)}))
    sys.exit(0 if healthy else 1)
