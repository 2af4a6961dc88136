"""The losses of an epoch are collected as numbers; those of a rollout until its backward pass."""

import torch
from torch import nn

if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    history = []
    for _ in range(20):
        parts = [model(torch.randn(8, 4)).pow(2).mean() for _ in range(12)]
        loss = torch.stack(parts).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss.item())
    print(sum(history) / len(history))
