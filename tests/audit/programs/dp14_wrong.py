"""Trains one rank's share for three epochs, and never tells the sampler which epoch it is."""

import torch
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

torch.manual_seed(0)
features = torch.randn(200, 6)
train_set = TensorDataset(features, features.sum(1, keepdim=True))
val_set = TensorDataset(torch.randn(40, 6), torch.randn(40, 1))
sampler = DistributedSampler(train_set, num_replicas=2, rank=0)
train_loader = DataLoader(train_set, batch_size=20, sampler=sampler)
val_loader = DataLoader(val_set, batch_size=20, shuffle=False)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

for epoch in range(3):
    model.train()
    for x, y in train_loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        val = sum(nn.functional.mse_loss(model(x), y).item() for x, y in val_loader)
    print(epoch, val)
