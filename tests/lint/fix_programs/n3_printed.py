from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(2, 2)
        self.layers = [nn.Linear(2, 2), nn.Linear(2, 2)]


print(Net())
