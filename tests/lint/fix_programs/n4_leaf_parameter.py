import torch
from torch import nn

total = 0.0
for step in range(3):
    loss = nn.Parameter(torch.tensor(float(step)))
    loss.backward()
    total += loss
    print(loss.grad, f"{total:.1f}")
print(total.item())
