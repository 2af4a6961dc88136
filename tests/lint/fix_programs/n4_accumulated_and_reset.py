import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Linear(4, 3)
optimizer = torch.optim.RMSprop(model.parameters(), lr=0.01)
running = 0
for step in range(1, 7):
    loss = F.cross_entropy(model(torch.randn(5, 4)), torch.randint(0, 3, (5,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    running += loss
    if step % 3 == 0:
        print(step, f"{running / 3:.5f}", (running * 2).item(), running.detach().tolist(), [running.item()])
        running = 0.0
