from torch import nn


class Discriminator(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.BatchNorm2d(width, 0.8)  # BUG: a hint

    def forward(self, x):
        return self.norm(x)
