# Parameters of a class of the program, with a __getattribute__ that logs.
import torch

names = set()


class Watched(torch.nn.Parameter):
    def __getattribute__(self, name):
        names.add(name)
        return super().__getattribute__(name)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = Watched(torch.ones(2))

    def forward(self, x):
        return (x * self.weight).sum()


net = Net()
net.register_parameter("other", Watched(torch.ones(1)))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    net(torch.ones(2)).backward()
    torch.nn.utils.clip_grad_norm_([net.weight], 1.0)
    optimizer.step()
print(sorted(name for name in names if not name.startswith("__")))
