# A loader with __slots__-like strictness, and a forward that is found by a descriptor of the program.
import torch
from torch.utils.data import DataLoader


class Strict(DataLoader):
    ALLOWED = None

    def __setattr__(self, name, value):
        if self.ALLOWED is not None and name not in self.ALLOWED:
            raise AttributeError(f"no attribute {name}")
        super().__setattr__(name, value)


class Bound:
    def __init__(self, function):
        self.function = function

    def __get__(self, instance, owner):
        return self if instance is None else lambda *args: self.function(instance, *args)


class Net(torch.nn.Module):
    forward = Bound(lambda self, x: x * 5)


Strict.ALLOWED = None
loader = Strict(torch.arange(4.0), 2)
Strict.ALLOWED = {"_iterator", "_DataLoader__initialized"}
print([batch.tolist() for batch in loader])
net = Net()
net.register_forward_hook(lambda module, inputs, output: None)
print(net(torch.ones(1)).item(), type(Net.forward).__name__)
