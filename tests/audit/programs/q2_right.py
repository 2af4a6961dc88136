import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(20):
    inputs = torch.randn(16, 4)
    optimizer.zero_grad()
    loss = model(inputs).pow(2).mean()
    loss.backward()
    optimizer.step()
