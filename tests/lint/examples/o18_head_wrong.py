import torch
import torchvision
from torch import nn


def main(loader, criterion, epochs):
    net = torchvision.models.resnet18(weights="DEFAULT")
    for parameter in net.parameters():
        parameter.requires_grad = False
    net.fc = nn.Linear(512, 10)
    optimizer = torch.optim.Adam(net.fc.parameters())
    for _ in range(epochs):
        net.train()  # BUG
        for x, y in loader:
            optimizer.zero_grad()
            criterion(net(x), y).backward()
            optimizer.step()
