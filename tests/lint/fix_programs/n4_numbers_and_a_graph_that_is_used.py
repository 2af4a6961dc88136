import torch
from torch import nn

torch.manual_seed(0)
net, x = nn.Linear(2, 1), torch.ones(3, 2)
def steps():
    for _ in range(2):
        yield x

total, sizes, all_losses = 0, 0, []
for x in steps():
    size_loss = 0.5
    loss = net(x).mean() + 0.1 * size_loss
    loss.backward(retain_graph=True)
    sizes += size_loss
    total += loss
total.backward()
for x in steps():
    losses = [net(x).mean()]
    sum(losses).backward()
    all_losses.append(losses)
for x in steps():
    loss = net(x).mean()
    loss.backward()
    loss = round(loss.item(), 2)
    sizes += loss
for i, x in enumerate(steps()):
    loss = 0
    if i:
        loss = net(x).mean()
        loss.backward()
    sizes += loss
print(sizes.item(), net.bias.grad, len(all_losses))
