"""A validation in the training loop, of a wrapped model from another file."""

import torch
from torch import nn

from models import Speech


def main(train_loader, test_loader, criterion, epochs):
    model = Speech()
    model = nn.DataParallel(model).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(epochs):
        model.train()
        for x, y in train_loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
        total = 0
        for x, y in test_loader:  # BUG
            total += (model(x).argmax(1) == y).sum().item()
        print(total)
