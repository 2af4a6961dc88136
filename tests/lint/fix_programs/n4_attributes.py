import torch
from torch import nn

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = 0.0
for _ in range(3):
    optimizer.zero_grad()
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    optimizer.step()
    total += loss
print(total.requires_grad, total.is_leaf, type(total.grad_fn).__name__)
