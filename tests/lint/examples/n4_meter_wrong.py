import torch
from torch import nn


class Meter:
    def __init__(self):
        self.total, self.count = 0.0, 0

    def update(self, value, count=1):
        self.total += value * count
        self.count += count


def train(model: nn.Module, loader, optimizer):
    meter, recent, history = Meter(), 0.0, []
    for step, (images, labels) in enumerate(loader):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        meter.update(loss, len(images))  # BUG
        recent += len(images) * loss  # BUG
        history += [loss.cpu()]  # BUG
        if step % 100 == 0:
            print(recent)
            recent = 0.0
    return meter.total / meter.count, history
