from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2), nn.Linear(2, 2)]

    def __setattr__(self, name, value):
        print(name, type(value).__name__)
        super().__setattr__(name, value)


Net()
