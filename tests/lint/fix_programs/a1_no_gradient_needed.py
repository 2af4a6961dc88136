"""Only the bias of another layer is trained: nothing needs the result that is written into."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()
        self.head = nn.Linear(2, 1)

    def forward(self, x):
        out = self.act(x)
        out += 1
        return self.head(out)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for step in range(4):
    loss = (net(torch.ones(3, 2)) - step).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item(), loss)
print(net.head.weight, net.head.bias.grad)
