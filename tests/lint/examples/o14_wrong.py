import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 3)
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        x = self.fc(x)
        return self.softmax(x)  # BUG


def train(loader, optimizer):
    model, criterion = Net(), nn.CrossEntropyLoss()
    for x, y in loader:
        optimizer.zero_grad()
        outputs = model(x)
        loss = criterion(outputs, y)
        loss.backward()
        optimizer.step()


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.real = nn.Sequential(nn.Linear(8, 1), nn.Sigmoid())
        self.label = nn.Sequential(nn.Linear(8, 4), nn.Softmax(dim=1))  # BUG

    def forward(self, x):
        label = self.label(x)
        return self.real(x), label


def two_losses(x, y, valid):
    discriminator = TwoHeads()
    real, label = discriminator(x)
    return nn.BCELoss()(real, valid) + nn.CrossEntropyLoss()(label, y)
