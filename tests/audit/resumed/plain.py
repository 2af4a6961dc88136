"""A plain loop with Adam. The order follows from the epoch, and the position in the epoch is saved."""

import os
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 4)
data = TensorDataset(x, x.sum(1, keepdim=True))
model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
step = start = used = 0
if "--resume" in sys.argv and os.path.exists("last.pt"):
    saved = torch.load("last.pt")
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    start, used, step = saved["epoch"], saved["used"], saved["step"]
for epoch in range(start, 4):
    order = torch.randperm(len(data), generator=torch.Generator().manual_seed(epoch)).tolist()
    for inputs, targets in DataLoader(data, batch_size=8, sampler=order[used:]):
        loss = nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step, used = step + 1, used + len(inputs)
        if step % 10 == 0:
            torch.save(
                {
                    "model": model.state_dict(),
                    "optimizer": optimizer.state_dict(),
                    "epoch": epoch,
                    "used": used,
                    "step": step,
                },
                "last.pt",
            )
        if "--stop" in sys.argv and step == 33:
            os._exit(0)
    used = 0
