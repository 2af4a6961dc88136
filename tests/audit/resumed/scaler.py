"""Mixed precision with a GradScaler, whose scale grows."""

import os
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(64, 8)
data = TensorDataset(x, x[:, :1] * 2)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.005)
scaler = torch.amp.GradScaler("cpu", init_scale=256.0, growth_interval=3)
start = 0
if "--resume" in sys.argv:
    saved = torch.load("last.pt")
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    scaler.load_state_dict(saved["scaler"])
    start = saved["epoch"] + 1
for epoch in range(start, 4):
    generator = torch.Generator().manual_seed(epoch)
    for inputs, targets in DataLoader(data, batch_size=8, shuffle=True, generator=generator):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.mse_loss(model(inputs), targets)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    torch.save(
        {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "scaler": scaler.state_dict(),
            "epoch": epoch,
        },
        "last.pt",
    )
    if "--stop" in sys.argv and epoch == 1:
        os._exit(0)
