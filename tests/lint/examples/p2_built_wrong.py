from torch import nn

from .models import build
from .plots import grid


def train(model, loader, optimizer, writer):
    for x, y in loader:
        writer.add_image("input", grid(x, scale_each=True))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x.half()), y)
        loss.backward()
        optimizer.step()


def main(config, loader, make_optimizer, writer):
    model = build(config)
    if config.half:
        model.half()  # BUG
    train(model, loader, make_optimizer(model.parameters()), writer)
