from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2), nn.Linear(2, 2)]

    def extra_repr(self):
        return ", ".join(sorted(name for name in dir(self) if name.startswith("lay")))


net = Net()
print(net, "layers" in net.__dict__, "layers" in net._modules)
