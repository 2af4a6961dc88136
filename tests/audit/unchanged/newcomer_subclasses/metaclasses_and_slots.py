# Modules and datasets with metaclasses that count isinstance checks, attribute access and instantiation.
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)
counts = {"instancecheck": 0, "call": 0, "getattr": 0}


class Meta(type):
    def __instancecheck__(cls, obj):
        counts["instancecheck"] += 1
        return super().__instancecheck__(obj)

    def __call__(cls, *a, **k):
        counts["call"] += 1
        return super().__call__(*a, **k)

    def __getattr__(cls, name):
        counts["getattr"] += 1
        raise AttributeError(name)


class Net(nn.Module, metaclass=Meta):
    __slots__ = ("hidden",)

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(1, 1)

    def forward(self, x):
        return self.lin(x.float())


class Data(Dataset, metaclass=Meta):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.tensor([i])


class Out(metaclass=Meta):
    def __init__(self, x):
        self.x = x


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.01)
data = Data()
print(counts)
for epoch in range(2):
    for x in DataLoader(data, batch_size=2):
        out = Out(net(x))
        opt.zero_grad()
        out.x.sum().backward()
        opt.step()
    print(counts)
print(isinstance(net, Net), counts["instancecheck"])
