import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total, spec = 0.0, ""
for _ in range(2):
    optimizer.zero_grad()
    loss = model(torch.ones(1, 2)).mean(0)
    loss.backward()
    optimizer.step()
    total += loss
print(f"{total:{spec}}", f"{total!r:>60}")
