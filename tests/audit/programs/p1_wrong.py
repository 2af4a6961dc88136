"""Gradients are clipped while they are multiplied by the loss scale."""

import sys

import torch
from torch import nn

if __name__ == "__main__":
    if not hasattr(torch, "amp") or not hasattr(torch.amp, "GradScaler"):
        sys.exit(77)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    for _ in range(6):
        loss = model(torch.randn(8, 4)).pow(2).mean()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
