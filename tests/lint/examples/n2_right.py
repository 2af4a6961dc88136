import torch
from torch import nn


class Normalise(nn.Module):
    def __init__(self, mean):
        super().__init__()
        self.mean = torch.tensor(mean)
        self.register_buffer("scale", torch.ones(3))

    def forward(self, x):
        self.mean = self.mean.type_as(x)
        return (x - self.mean) * self.scale


class Scaled(nn.Module):
    def __init__(self, settings, factor: float = 2.0, weights=None):
        super().__init__()
        self.factor = torch.tensor(factor)  # one number works with tensors on each device
        self.gain = torch.tensor(settings.get("gain", 1.0))
        self.none = torch.empty(0)
        self.mask = torch.zeros(3)
        self.mask = nn.Parameter(self.mask, requires_grad=False)
        self.weights = None
        if weights is not None:
            self.weights = torch.from_numpy(weights)

    def forward(self, x):
        if self.weights is not None:
            x = x * self.weights.to(x.device)
        return torch.where(self.mask > 0, x * self.factor * self.gain, self.none)


class Indexed(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.order = torch.randperm(length)
        self.scales = torch.linspace(0, 1, length)
        self.mask = torch.ones(length, length).tril()

    def forward(self, x):
        mask = self.mask.unsqueeze(0).to(x.device)
        for number in range(len(self.scales)):
            x = x + self.scales[number]  # one number works with tensors on each device
        return x[:, self.order] * mask[:, self.order, self.order]


class Cached(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.resize(length)

    def resize(self, length):
        self.table = torch.zeros(length, 4)

    def forward(self, x):
        if len(x) != len(self.table):
            self.resize(len(x))
        return self.layer(x) + self.table


class Window(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.places = torch.arange(2 * size).view(size, 2)
        self.table = nn.Parameter(torch.zeros(size, size))

    def forward(self, x):
        return x + self.table[self.places[:, 0], self.places[:, 1]]
