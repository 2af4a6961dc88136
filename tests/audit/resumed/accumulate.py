"""Gradients of four batches for each step. Batches that were used are drawn again and dropped."""

import os
import random
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(160, 4)
data = TensorDataset(x, x.sum(1, keepdim=True))
model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
start = skip = 0
if "--resume" in sys.argv:
    saved = torch.load("last.pt")
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    start, skip = saved["epoch"], saved["batch"]
for epoch in range(start, 3):
    random.seed(epoch)
    order = random.sample(range(160), 160)
    for number, (inputs, targets) in enumerate(DataLoader(data, batch_size=5, sampler=order), 1):
        if number <= skip:
            continue
        (nn.functional.mse_loss(model(inputs), targets) / 4).backward()
        if number % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
            torch.save(
                {
                    "model": model.state_dict(),
                    "optimizer": optimizer.state_dict(),
                    "epoch": epoch,
                    "batch": number,
                },
                "last.pt",
            )
            if "--stop" in sys.argv and (epoch, number) == (1, 12):
                os._exit(0)
    skip = 0
