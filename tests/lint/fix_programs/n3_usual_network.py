import torch
from torch import nn

class Net(nn.Module):
    layers: list
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2),  # the first
                       nn.Linear(2, 2)]
        self.heads = {"a": nn.Linear(2, 1)}; self.blocks = []
        self.blocks.append(nn.Linear(2, 2))
    def forward(self, x):
        for layer in (*self.layers, *self.blocks):
            x = layer(x)
        for i, layer in enumerate(self.layers[:-1]):
            x = layer(x)
        return self.heads["a"](x)
torch.manual_seed(0)
print(Net()(torch.ones(1, 2)).item())
