import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)
        self.norm = nn.BatchNorm1d(8)

    def forward(self, x):
        return F.dropout(self.norm(self.fc(x)), 0.5)  # BUG


def train(model, loader, optimizer):
    for epoch in range(10):
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        evaluate(model, loader)


def evaluate(model, loader):
    with torch.no_grad():  # BUG
        return sum((model(x).argmax(1) == y).sum().item() for x, y in loader)


if __name__ == "__main__":
    net = Net()
    train(net, [], torch.optim.SGD(net.parameters(), lr=0.1))
