import torch
from torch import nn

torch.manual_seed(0)
net, x = nn.Linear(2, 1), torch.ones(3, 2)
def steps():
    for _ in range(2):
        yield x

optimizer, scaler = torch.optim.SGD(net.parameters(), 0.1), torch.amp.GradScaler("cpu", init_scale=1.0)
for x in steps():
    scaler.scale(net(x).mean()).backward()
    nn.utils.clip_grad_norm_(net.weight, 0.5)
    nn.utils.clip_grad_norm_(net.bias, 0.5)
    scaler.step(optimizer)
    scaler.update()
print(net.bias.item())
