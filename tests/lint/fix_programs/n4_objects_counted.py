"""How many objects does the training leave behind?"""
import gc

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
value = total.item()
print(sum(isinstance(item, torch.Tensor) and item.grad_fn is not None for item in gc.get_objects()) - 1)
print(total.requires_grad)
