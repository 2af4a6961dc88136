"""Trains one rank's share for three epochs, and tests two learning rates with the same seed."""

import torch
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

features = torch.randn(200, 6)
train_set = TensorDataset(features, features.sum(1, keepdim=True))
val_set = TensorDataset(torch.randn(40, 6), torch.randn(40, 1))
sampler = DistributedSampler(train_set, num_replicas=2, rank=0)
train_loader = DataLoader(train_set, batch_size=20, sampler=sampler)
val_loader = DataLoader(val_set, batch_size=20, shuffle=False)
shuffled = DataLoader(train_set, batch_size=20, shuffle=True)
print(next(iter(train_loader))[0].shape)  # one batch is not an epoch

for rate in (1e-2, 1e-3):
    torch.manual_seed(0)  # each run gets the same start and the same orders
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    for epoch in range(2):
        size = len(next(iter(train_loader))[0])
        sampler.set_epoch(epoch)
        model.train()
        for loader in (train_loader, shuffled):
            for x, y in loader:
                loss = nn.functional.mse_loss(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        model.eval()
        with torch.no_grad():
            val = sum(nn.functional.mse_loss(model(x), y).item() for x, y in val_loader)
        print(rate, epoch, size, val)
