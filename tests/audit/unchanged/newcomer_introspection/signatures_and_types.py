# quick
# inspect.signature, getsource, getfile, getmro, typing hints and members of the program's own classes after training.
import inspect
import typing

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Data(Dataset):
    def __len__(self) -> int:
        return 2

    def __getitem__(self, i: int) -> torch.Tensor:
        return torch.ones(1)


class Net(nn.Module):
    size: typing.ClassVar[int] = 1

    def __init__(self, width: int = 1):
        super().__init__()
        self.lin = nn.Linear(1, width)

    def forward(self, x: torch.Tensor, *, scale: float = 1.0) -> torch.Tensor:
        return self.lin(x) * scale


class Opt(torch.optim.SGD):
    def step(self, closure: typing.Optional[typing.Callable] = None, *, extra: int = 0):
        return super().step(closure)


net, data = Net(), Data()
opt = Opt(net.parameters(), lr=0.1)
loader = DataLoader(data, collate_fn=lambda s: s[0])
for x in loader:
    opt.zero_grad()
    net(x).sum().backward()
    opt.step()
print(inspect.signature(net.forward), inspect.signature(Net), inspect.signature(opt.step), inspect.signature(data.__getitem__))
print(typing.get_type_hints(Net.forward), typing.get_type_hints(Opt.step)["extra"])
print(inspect.getsource(Data).splitlines()[1], inspect.getsourcelines(Net.forward)[1], inspect.getmodule(Net).__name__)
print([c.__name__ for c in inspect.getmro(Opt)], [c.__name__ for c in inspect.getmro(Net)])
print(sorted(n for n, _ in inspect.getmembers(Data, inspect.isfunction) if "__" in n[:2]))
print(sorted(set(dir(net)) - set(dir(nn.Module()))), sorted(set(dir(opt)) - set(dir(torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1)))))
print(inspect.signature(loader.collate_fn), loader.collate_fn.__qualname__, inspect.ismethod(net.forward), inspect.isgenerator(iter(loader)))
print(sorted(k for k in globals() if not k.startswith("__")), __name__, __doc__, sorted(k for k in globals() if k.startswith("__")))
