"""forward() runs with an object of another class, whose act() returns a number."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()

    def forward(self, x):
        out = self.act(x)
        out += 1
        return out


print(Net.forward(nn.ModuleDict({"act": nn.Tanh()}), torch.zeros(2)))
