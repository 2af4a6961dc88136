import torch
from torch import nn


def replace_before_training(train):
    model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model[1] = nn.Linear(8, 4)  # BUG
    train(model, optimizer)


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.model.fc = nn.Sequential(nn.Linear(8, 4))  # BUG
