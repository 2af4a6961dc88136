import torch
from torch import nn, fx


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Sequential(nn.Linear(2, 2), nn.ReLU())

    def forward(self, x):
        return self.head.forward(x)


print([node.op for node in fx.symbolic_trace(Net()).graph.nodes])
