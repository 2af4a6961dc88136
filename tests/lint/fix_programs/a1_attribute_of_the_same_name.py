"""The graph has attributes that a class of the program has as well."""
import torch
from torch import nn


class Node:
    def __init__(self):
        self.grad_fn = None
        self.next_functions = None


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        out = torch.relu(self.fc(x))
        out += 1
        return out


print(str(Net()(torch.ones(1, 2)).grad_fn.next_functions[0][0]).split(" ")[0])
