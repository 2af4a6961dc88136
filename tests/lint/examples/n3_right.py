import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        layers = []
        for _ in range(3):
            layers.append(nn.Linear(8, 8))
        self.body = nn.Sequential(*layers)
        self.blocks = [nn.Linear(8, 8)]
        for number, block in enumerate(self.blocks):
            self.add_module(f"block{number}", block)
        self.losses = [nn.MSELoss(), nn.ReLU()]

    def forward(self, x):
        return self.body(x)


class Scale:
    """No layer: there is nothing to train."""

    def __init__(self, factor):
        self.factor = factor


class Twice(nn.Module):
    def forward(self, x):
        return 2 * x


class Doubles(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = [Twice(), Twice()]
        self.by_name = {}
        self.by_name["half"] = Scale(0.5)


class Wrapped(nn.Module):
    def __init__(self, net, embed):
        super().__init__()
        self.embed = embed
        self.wrappers = {}
        for path in ("first", "second"):
            layer = nn.Linear(8, 8)
            net.set_submodule(path, layer)
            self.wrappers[path] = layer


def build(net):
    embed = [nn.Embedding(10, 8), nn.Linear(8, 8)]
    embed = nn.Sequential(*embed)
    return Wrapped(net, embed)


class Scaled(nn.Module):
    def __init__(self, values):
        super().__init__()
        self.scales = [nn.Parameter(value) for value in values]
        for number, scale in enumerate(self.scales):
            self.register_parameter(f"scale{number}", scale)


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        conv, head = nn.Conv2d(8, 8, 3), nn.Linear(8, 2)
        self.conv, self.head = conv, head
        self.late = [conv, nn.ReLU()]
        self.groups = {"head": head}


class Registered(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(8, 8) for _ in range(2)]
        for number, layer in enumerate(self.layers):
            self._modules[f"layer{number}"] = layer


class Stem(nn.Module):
    def __init__(self, width, depth, build):
        super().__init__()
        self.stem = [nn.Linear(width, width)]
        for _ in range(depth):
            self.stem.append(nn.Linear(width, width))
        self.stem = build(self.stem)
