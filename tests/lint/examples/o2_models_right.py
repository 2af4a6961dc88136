import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 4)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)


class Loss(nn.Module):
    def forward(self, x, y):
        return (x - y).abs().mean()


def train(loader):
    encoder, critic, loss_of = Encoder(), Critic(), Loss()
    optimizer = torch.optim.Adam([*encoder.parameters(), *critic.parameters()])
    for x in loader:
        optimizer.zero_grad()
        loss_of(critic(encoder(x)), x).backward()
        optimizer.step()


def distill(loader):
    encoder, teacher, loss_of = Encoder(), Encoder(), Loss()
    optimizer = torch.optim.Adam(encoder.parameters())
    for x in loader:
        with torch.no_grad():
            wanted = teacher(x)
        optimizer.zero_grad()
        loss_of(encoder(x), wanted).backward()
        optimizer.step()
