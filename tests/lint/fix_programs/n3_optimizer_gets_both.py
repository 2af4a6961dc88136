import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(2, 2)
        self.layers = [nn.Linear(2, 2), nn.Linear(2, 2)]


net = Net()
weights = [weight for layer in net.layers for weight in layer.parameters()]
print(len(torch.optim.SGD(weights + list(net.parameters()), 0.1).param_groups[0]["params"]))
