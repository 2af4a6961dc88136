import argparse

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width, slope):
        super().__init__()
        self.fc = nn.Linear(width, width)
        self.act = nn.Tanh()
        self.slope = slope

    def forward(self, x):
        out = self.act(self.fc(x))
        out *= self.slope
        return out


parser = argparse.ArgumentParser(description="a small network")
parser.add_argument("--width", type=int, default=3)
parser.add_argument("--slope", type=float, default=0.5)
args = parser.parse_args([])
torch.manual_seed(0)
print(Net(3, 0.5)(torch.ones(1, 3)).detach(), args)
