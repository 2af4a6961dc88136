import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.layers = nn.Linear(2, 2), [nn.Linear(2, 2) for _ in range(2)]
net = Net()
groups = [{"params": net.parameters()}, {"params": [p for layer in net.layers for p in layer.parameters()]}]
print(len(torch.optim.SGD(groups, 0.1).param_groups))
