"""Trains a scale without a module, and saves the criterion, which has no parameters, with the optimizer."""

import os
import tempfile

import torch
from torch import nn

torch.manual_seed(0)
scale = torch.ones(4, requires_grad=True)
criterion = nn.MSELoss()
optimizer = torch.optim.SGD([scale], lr=0.1)
for _ in range(20):
    x = torch.rand(8, 4)
    loss = criterion(x * scale, 2 * x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with tempfile.TemporaryDirectory() as folder:
    torch.save({"scale": scale, "criterion": criterion.state_dict(), "optimizer": optimizer.state_dict()},
               os.path.join(folder, "run.pt"))
