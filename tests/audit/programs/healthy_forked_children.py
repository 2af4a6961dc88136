"""Gradients accumulate over the end of an epoch, where a worker and a pool are forked: there it looks unfinished."""

import multiprocessing

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
inputs = torch.randn(80, 8)
data = TensorDataset(inputs, inputs.sum(1, keepdim=True))
train = DataLoader(data, batch_size=8, shuffle=True)
validation = DataLoader(TensorDataset(*data[:16]), batch_size=8, num_workers=1, multiprocessing_context="fork")
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
micro_batches = 0
for epoch in range(4):  # 10 batches each, 10 steps of 4 in all
    model.train()
    for batch, targets in train:
        (nn.functional.mse_loss(model(batch), targets) / 4).backward()
        micro_batches += 1
        if micro_batches % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
    model.eval()
    with torch.no_grad():
        losses = [nn.functional.mse_loss(model(batch), targets).item() for batch, targets in validation]
    with multiprocessing.get_context("fork").Pool(1) as pool:
        print(epoch, sum(pool.map(abs, losses)))
        pool.close()
        pool.join()
