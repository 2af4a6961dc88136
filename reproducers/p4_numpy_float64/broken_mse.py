"""P4: mse_loss() with a float64 target fails in backward() up to torch 2.11.

The forward pass accepts a float32 prediction and a float64 target, and the loss is float64. Newer
versions also have a backward pass for it.

Symptom: RuntimeError: Found dtype Double but expected Float; from torch 2.12 on none
Needs:   torch, numpy; cpu; about 2 s
Run:     python broken_mse.py; python fixed.py
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
        self.targets = self.inputs.sum(1, keepdims=True)

    def __len__(self):
        return len(self.inputs)

    def __getitem__(self, index):
        x = torch.from_numpy(self.inputs[index]).float()
        return x, torch.from_numpy(self.targets[index])  # BUG: float64


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    while len(losses) < steps:
        for x, y in DataLoader(Table(), batch_size=8):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())

    healthy = len(losses) == steps and losses[-1] < losses[0] / 4
    print("OBSERVED", json.dumps({"healthy": healthy, "dtype": str(loss.dtype),
                                  "first_and_last_loss": [round(losses[0], 3),
                                                          round(losses[-1], 3)]}))
    sys.exit(0 if healthy else 1)
