"""Trains each layer by itself; the network keeps its layers in a list, so the file that it saves is empty."""

import os
import tempfile

import torch
from torch import nn


class Layer(nn.Linear):
    def __init__(self, inputs, outputs):
        super().__init__(inputs, outputs)
        self.optimizer = torch.optim.Adam(self.parameters(), lr=0.01)

    def train_on(self, x, target):
        loss = (torch.relu(self(x)) - target).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return torch.relu(self(x)).detach()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [Layer(8, 8), Layer(8, 8)]

    def train_on(self, x):
        for layer in self.layers:
            x = layer.train_on(x, x.roll(1, 1))


torch.manual_seed(0)
net = Net()
for _ in range(20):
    net.train_on(torch.rand(16, 8))
with tempfile.TemporaryDirectory() as folder:
    torch.save(net.state_dict(), os.path.join(folder, "net.pt"))
