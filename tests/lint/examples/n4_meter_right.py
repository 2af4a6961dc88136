import torch
from torch import nn


class Meter:
    def __init__(self):
        self.total, self.count = 0.0, 0

    def update(self, value, count=1):
        self.total += float(value) * count
        self.count += count


class Last:
    def update(self, value):
        self.value = value


def train(model: nn.Module, loader, optimizer):
    meter, last, recent = Meter(), Last(), 0.0
    for step, (images, labels) in enumerate(loader):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        recent = recent + loss
        if step % 4 == 0:
            recent.backward()
            optimizer.step()
            recent = 0.0
        meter.update(loss, len(images))
        last.update(loss)
    return meter.total / meter.count
