"""A step with an infinite gradient: clipping makes the gradients NaN, and unscale_() sees it first."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(2, 1)
optimizer, scaler = torch.optim.SGD(net.parameters(), 0.1), torch.amp.GradScaler("cpu", init_scale=2.0)
for step in range(3):
    optimizer.zero_grad()
    scaler.scale((net(torch.ones(3, 2)) * 10**step).mean()).backward()
    nn.utils.clip_grad_value_(net.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
print([round(value, 4) for value in net.weight[0].tolist()])
