"""The layer is also in a list, and its class is the same; only its order differs."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.act = nn.ReLU(inplace=True)
        self.both = [self.fc, self.act]

    def forward(self, x):
        hidden = self.both[0](x)
        other = self.both[1](hidden)
        out = self.act(self.fc(x))
        out += hidden
        return out, other


torch.manual_seed(0)
with torch.no_grad():
    print(Net()(torch.ones(1, 2)))
