import torch
import torch.nn as nn


def conv():
    return nn.Sequential(nn.Linear(8, 8), nn.ReLU())


class Net(nn.Module):
    def __init__(self, depth):
        super(Net, self).__init__()
        self.layers = []  # BUG
        for _ in range(depth):
            self.layers.append(conv())
        heads = [nn.Linear(8, 2) for _ in range(3)]
        self.heads = heads  # BUG
        self.by_scale = {}  # BUG
        for scale in (1, 2, 4):
            self.by_scale[scale] = conv()
        self.last = tuple(nn.Linear(8, 2) for _ in range(depth))  # BUG
        self.scales = [nn.Parameter(torch.ones(8)) for _ in range(depth)]  # BUG
        self.pairs = [[nn.Linear(8, 8), nn.ReLU()] for _ in range(depth)]  # BUG
