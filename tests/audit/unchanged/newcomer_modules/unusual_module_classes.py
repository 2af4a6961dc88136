# Module classes with unusual dunder methods: __call__, __getattr__, __len__, __eq__, __bool__, __setattr__.
import torch
from torch import nn

torch.manual_seed(11)
torch.set_num_threads(1)
log = []


class Called(nn.Linear):
    def __call__(self, *args):
        log.append("call")
        return super().__call__(*args)


class Getattr(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            log.append("getattr " + name)
            return getattr(super().__getattr__("inner"), name)

    def forward(self, x):
        return self.inner(x)


class Falsy(nn.Linear):
    def __bool__(self):
        log.append("bool")
        return False

    def __len__(self):
        log.append("len")
        return 0

    def __eq__(self, other):
        log.append("eq")
        return NotImplemented

    __hash__ = None


class Guarded(nn.Linear):
    def __setattr__(self, name, value):
        log.append("set " + name)
        super().__setattr__(name, value)

    def __repr__(self):
        raise RuntimeError("no repr")

    def extra_repr(self):
        raise RuntimeError("no extra repr")


guarded = Guarded(2, 2)
log.clear()
parts = [Called(2, 2), Getattr(nn.Linear(2, 2)), Falsy(2, 2), guarded]
opt = torch.optim.SGD([p for m in parts for p in (m.inner if type(m) is Getattr else m)._parameters.values()], lr=0.1)
print(log)
for _ in range(3):
    log.clear()
    x = torch.ones(1, 2)
    for m in parts:
        x = m(x)
    opt.zero_grad()
    x.sum().backward()
    opt.step()
    print(x.sum().item().hex(), log)
try:
    str(guarded)
except RuntimeError as e:
    print(e)
