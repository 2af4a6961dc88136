import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = 0.0
step = 0
while True:
    loss = (model(torch.ones(4, 2)) - 3).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    total += loss
    optimizer.step()
    step += 1
    if total.item() > 12 or step > 20:
        break
print(step, total.item(), float(total / step))
