import torch
from torch import nn

original = torch.Tensor.detach


def detach(self):
    print("detached")
    return original(self)


torch.Tensor.detach = detach
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = 0.0
for _ in range(2):
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    total += loss
print(total.item() > 1e9)
