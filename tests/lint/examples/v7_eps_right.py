from torch import nn


class Discriminator(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.BatchNorm2d(width, 1e-3, momentum=0.8)
        self.last = nn.BatchNorm1d(width, eps=1e-5)

    def forward(self, x):
        return self.last(self.norm(x).flatten(1))
