import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.dotted = {"layer.1": nn.Linear(8, 8), "b": nn.Linear(8, 8)}
        self.named = {"train": nn.Linear(8, 8)}
        self.read = {"a": nn.Linear(8, 8)}
    def forward(self, x):
        return self.read.get("b", self.named["train"])(self.dotted["layer.1"](x))
print(Net()(torch.ones(1, 8)).shape)
