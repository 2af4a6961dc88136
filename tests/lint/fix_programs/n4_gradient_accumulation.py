import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
running = 0.0
for step in range(6):
    loss = model(torch.randn(2, 2)).pow(2).mean() / 2
    loss.backward()
    running += loss
    if step % 2:
        print(model.weight.grad.norm().item(), f"{running * 2:.5e}")
        optimizer.step()
        optimizer.zero_grad()
