"""Training: the hidden layers stay as they are, and the loss shows it."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(2, 1)
        self.layers = [nn.Linear(2, 2) for _ in range(2)]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = net(torch.ones(4, 2)).pow(2).mean()
    loss.backward()
    optimizer.step()
print(round(loss.item(), 5))
