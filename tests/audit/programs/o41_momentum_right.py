"""Weights in float32, under autocast to bfloat16."""

import sys

import torch
from torch import nn

if __name__ == "__main__":
    if not hasattr(torch, "autocast"):
        sys.exit(77)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6)
    for _ in range(8):
        x = torch.randn(32, 16)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(x).float().pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
