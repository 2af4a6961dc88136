"""The head first, then all layers with a new optimizer: the scheduler keeps the old one."""
import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Sequential(nn.Linear(8, 32), nn.ReLU()), nn.Linear(32, 3)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.7)
body.requires_grad_(False)
for epoch in range(7):
    if epoch == 2:
        body.requires_grad_(True)
        optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.05)
    for _ in range(5):
        inputs = torch.randn(16, 8)
        loss = nn.functional.cross_entropy(head(body(inputs)), inputs[:, :3].argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    scheduler.step()
