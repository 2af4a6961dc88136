"""The program updates its weights through .data, and uses the optimizer only to clear gradients."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(64, 4)
for _ in range(20):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    for parameter in model.parameters():
        parameter.data.add_(parameter.grad, alpha=-0.05)
