from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2), nn.Linear(2, 2)]


net = Net()
print(len(net.__dict__["layers"]), sorted(key for key in vars(net) if not key.startswith("_")))
