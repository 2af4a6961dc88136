import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
criterion = nn.MSELoss()
total = 0
for step in range(4):
    optimizer.zero_grad()
    loss = criterion(model(torch.ones(2, 2)), torch.ones(2, 1))
    total = total + (loss)
    loss.backward()
    optimizer.step()
    if step % 2:
        print(step, round(total.item() / 2, 4), total.detach() / 2)
        total = 0
