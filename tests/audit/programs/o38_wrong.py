"""Fits a sine; the gradients are cleared only in a branch that is not taken."""
import argparse
import math

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--amp", action="store_true")
options = parser.parse_args()
torch.manual_seed(0)
x = torch.linspace(-math.pi, math.pi, 256).unsqueeze(1)
loader = DataLoader(TensorDataset(x, torch.sin(x)), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(5):
    total = 0.0
    for inputs, targets in loader:
        loss = nn.functional.mse_loss(model(inputs), targets)
        if options.amp:
            optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        total += loss.item()
    print(epoch, total / len(loader))
