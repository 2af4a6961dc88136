import torch
from torch import nn

from models import build


def freeze(args, images):
    model = build(args)
    model.requires_grad_(False)
    model.outc.weight.requires_grad = False
    model.temperature.requires_grad = True
    for layer in model.transformer.layers[:8]:
        for parameter in layer.parameters():
            parameter.requires_grad = False
    for name, parameter in model.named_parameters():
        parameter.requires_grad = "head" in name
    images.requires_grad = True
    return nn.Parameter(torch.zeros(4))


class Positions(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        positions = torch.zeros(8, width)
        positions.require_grad = False
        self.register_buffer("positions", positions)
        self.linear = torch.ones(3, requires_grad=True)
        self.linear.requires_grad = False
        self.encoder = nn.Parameter(torch.zeros(4))
        self.encoder.requires_grad = False


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.require_grads = True
        if self.require_grads:
            self.linear.requires_grad_(True)
