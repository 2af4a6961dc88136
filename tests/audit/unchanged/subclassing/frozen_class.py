# A metaclass refuses to have attributes of its classes changed.
import torch


class Frozen(type):
    def __setattr__(cls, name, value):
        raise AttributeError(f"{cls.__name__} is frozen: {name}")


class Net(torch.nn.Module, metaclass=Frozen):
    def forward(self, x):
        return x + 1


net = Net()
handle = net.register_forward_hook(lambda module, inputs, output: print("hook"))
print(net(torch.zeros(1)).item())
handle.remove()
print(net(torch.zeros(1)).item())
