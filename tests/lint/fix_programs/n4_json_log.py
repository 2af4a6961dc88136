import json

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
log = []
for epoch in range(2):
    loss_sum = 0.0
    for _ in range(2):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(torch.randn(4, 2)), torch.ones(4, 1))
        loss.backward()
        optimizer.step()
        loss_sum += loss
    log.append({"epoch": epoch, "loss": float(loss_sum / 2)})
print(json.dumps(log))
