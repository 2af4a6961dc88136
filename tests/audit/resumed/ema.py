"""An average of the weights, which is evaluated and saved after each epoch."""

import os
import sys

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(64, 4)
data = TensorDataset(x, x.prod(1, keepdim=True))
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
average = AveragedModel(model, avg_fn=lambda mean, new, count: 0.9 * mean + 0.1 * new)
loader = DataLoader(data, batch_size=8)
start = 0
if "--resume" in sys.argv:
    saved = torch.load("last.pt")
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    average.load_state_dict(saved["average"])
    start = saved["epoch"] + 1
for epoch in range(start, 4):
    for inputs, targets in loader:
        loss = nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average.update_parameters(model)
    with torch.no_grad():
        nn.functional.mse_loss(average(x), x.prod(1, keepdim=True))
    torch.save(
        {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "average": average.state_dict(),
            "epoch": epoch,
        },
        "last.pt",
    )
    if "--stop" in sys.argv and epoch == 1:
        os._exit(0)
