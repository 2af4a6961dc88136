from torch import nn

first, second = nn.Linear(2, 2), nn.Linear(2, 2)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2) for _ in range(2)]


net = Net()
layers = list(net.layers)
print(layers == net.layers, isinstance(net.layers, list))
