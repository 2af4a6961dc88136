# torch.save and torch.load with own file objects that count calls, with pickle modules, protocols and fsync.
import io
import pickle
import types

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Counting(io.BytesIO):
    def __init__(self, *a):
        super().__init__(*a)
        self.calls = {}

    def _count(self, name):
        self.calls[name] = self.calls.get(name, 0) + 1

    def write(self, b):
        self._count("write")
        return super().write(b)

    def read(self, *a):
        self._count("read")
        return super().read(*a)

    def seek(self, *a):
        self._count("seek")
        return super().seek(*a)

    def tell(self):
        self._count("tell")
        return super().tell()

    def readinto(self, b):
        self._count("readinto")
        return super().readinto(b)

    def flush(self):
        self._count("flush")
        super().flush()


net = nn.Linear(2, 2)
opt = torch.optim.Adam(net.parameters())
net(torch.ones(1, 2)).sum().backward()
opt.step()
f = Counting()
torch.save({"net": net.state_dict(), "opt": opt.state_dict()}, f)
print(f.calls)
g = Counting(f.getvalue())
ckpt = torch.load(g)
print(g.calls, sorted(ckpt))
opt.load_state_dict(ckpt["opt"])
events = []


class Pickler(pickle.Pickler):
    def __init__(self, *a, **k):
        events.append("pickler")
        super().__init__(*a, **k)


module = types.ModuleType("own_pickle")
module.__dict__.update({k: v for k, v in vars(pickle).items() if not k.startswith("__")})
module.Pickler = Pickler
torch.save({"a": 1}, io.BytesIO(), pickle_module=module, pickle_protocol=2)
print(events)


class State(dict):
    def items(self):
        events.append("items")
        return super().items()

    def __getitem__(self, k):
        events.append("get")
        return super().__getitem__(k)

    def __iter__(self):
        events.append("iter")
        return super().__iter__()

    def __len__(self):
        events.append("len")
        return super().__len__()

    def keys(self):
        events.append("keys")
        return super().keys()


events.clear()
torch.save(State(a=torch.ones(1)), io.BytesIO())
print(events)
events.clear()
net.load_state_dict(State(net.state_dict()))
print(sorted(set(events)))
