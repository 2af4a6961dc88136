import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = 0.0
for step in range(3):
    optimizer.zero_grad()
    loss = model(torch.ones(1, 2)).sum(0)
    loss.backward()
    optimizer.step()
    total += loss
    if step == 1:
        print((total * torch.ones(3)).detach(), (total @ torch.ones(1)).item())
print(total.item(), total.detach().requires_grad, float(total**2))
