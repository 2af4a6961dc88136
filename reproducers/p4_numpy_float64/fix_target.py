"""P4: the target is converted to float32 in the dataset.

float() suits losses that compare numbers, such as mse_loss() and binary_cross_entropy().
cross_entropy() needs class numbers instead, long().

Symptom: none: 40 steps, and the loss falls
Needs:   torch, numpy; cpu; about 2 s
Run:     python broken_target.py; python fix_target.py
"""
import json
import sys

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

steps = 40


class Table(Dataset):
    def __init__(self):
        self.inputs = np.linspace(-1, 1, 64).reshape(32, 2)  # float64
        self.targets = (self.inputs.sum(1, keepdims=True) > 0) / 1.0

    def __len__(self):
        return len(self.inputs)

    def __getitem__(self, index):
        x = torch.from_numpy(self.inputs[index]).float()
        return x, torch.from_numpy(self.targets[index]).float()  # FIX


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 1), nn.Sigmoid())
    optimizer = torch.optim.SGD(model.parameters(), lr=2.0)
    losses = []
    while len(losses) < steps:
        for x, y in DataLoader(Table(), batch_size=8):
            loss = nn.functional.binary_cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())

    healthy = x.dtype == y.dtype == loss.dtype == torch.float32 and losses[-1] < losses[0] / 1.5
    print("OBSERVED", json.dumps({"healthy": healthy, "dtype": str(loss.dtype),
                                  "first_and_last_loss": [round(losses[0], 3),
                                                          round(losses[-1], 3)]}))
    sys.exit(0 if healthy else 1)
