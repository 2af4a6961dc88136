import torch
from torch import nn

torch.manual_seed(0)
net, x = nn.Linear(2, 1), torch.ones(3, 2)
optimizer, scaler = torch.optim.SGD(net.parameters(), 0.1), torch.amp.GradScaler("cpu", init_scale=8.0)
for _ in range(2):
    optimizer.zero_grad()
    scaler.scale(net(x).mean()).backward()
    print(nn.utils.clip_grad_norm_(net.parameters(), 1e9).item())
    scaler.step(optimizer)
    scaler.update()
