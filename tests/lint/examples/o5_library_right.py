import torch
from attacks import Attack
from torch import nn


class Boundary(Attack):
    def predicted(self, images):
        with torch.no_grad():
            outputs = self.model(images)
        return outputs.argmax(1)


def train(net, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()


def _test():
    net = nn.Sequential(nn.Linear(4, 4), nn.Dropout())
    with torch.no_grad():
        outputs = net(torch.rand(2, 4))
    assert outputs.shape == (2, 4)
