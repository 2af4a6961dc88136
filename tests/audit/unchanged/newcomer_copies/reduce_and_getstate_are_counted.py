# Models, batches and datasets with __reduce_ex__, __getstate__, __copy__ and __sizeof__ that print each call.
# needs: torch>=2.0
import copy
import pickle
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)


class Talks:
    def __reduce_ex__(self, protocol):
        print("reduce", type(self).__name__, protocol)
        return super().__reduce_ex__(protocol)

    def __getstate__(self):
        print("getstate", type(self).__name__)
        return self.__dict__.copy()

    def __setstate__(self, state):
        print("setstate", type(self).__name__)
        self.__dict__.update(state)

    def __copy__(self):
        print("copy")
        return self

    def __sizeof__(self):
        print("sizeof")
        return 8

    def __dir__(self):
        print("dir")
        return []

    def __format__(self, spec):
        print("format")
        return "f"

    def __fspath__(self):
        print("fspath")
        return "talks.pt"


class Net(Talks, nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(1, 1)

    def forward(self, b):
        return self.lin(b.x)


class Batch(Talks):
    def __init__(self, items):
        self.x = torch.stack(items)


class Data(Talks):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.ones(1)


net, data = Net(), Data()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for b in DataLoader(data, batch_size=2, collate_fn=Batch):
    opt.zero_grad()
    net(b).sum().backward()
    opt.step()
    print("step")
print(type(pickle.loads(pickle.dumps(net))).__name__, copy.copy(net) is net)
torch.save(net.state_dict(), data)
print(sorted(torch.load(Data())), sys.getsizeof(data) > 0)
