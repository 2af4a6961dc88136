"""The scaled gradients are always clipped, and the weights show it."""
import torch
from torch import nn

torch.manual_seed(0)
net, x = nn.Linear(2, 1), torch.ones(3, 2)
optimizer, scaler = torch.optim.SGD(net.parameters(), 0.1), torch.amp.GradScaler("cpu", init_scale=1024.0)
for _ in range(2):
    optimizer.zero_grad()
    scaler.scale(net(x).mean()).backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    scaler.step(optimizer)
    scaler.update()
print(net.weight.tolist())
