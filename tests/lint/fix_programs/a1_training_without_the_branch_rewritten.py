import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.gate = nn.Sigmoid()

    def forward(self, x):
        scale = self.gate(x)
        scale *= x
        return self.fc(scale)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
total = 0.0
for step in range(5):
    loss = net(torch.ones(2, 3) * step).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss
print(f"{total:.6f}", [p.tolist() for p in net.parameters()])
