import torch
import torch.nn as nn
import torch.nn.functional as F


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(8, 1)

    def forward(self, x):
        scores = self.score(x)
        return F.softmax(scores, dim=1)  # BUG


def rank(x, y):
    model, criterion = Ranker(), nn.CrossEntropyLoss()
    scores = model(x)
    return criterion(scores.unsqueeze(0).contiguous(), y)


class Answer(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_softmax = nn.LogSoftmax(dim=0)

    def forward(self, scores, target):
        probabilities = torch.exp(self.log_softmax(scores))  # BUG
        loss = nn.CrossEntropyLoss()
        return loss(probabilities.view(-1, 4), target)


def build():
    model = nn.Sequential()
    model.add_module("linear", nn.Linear(8, 3))
    model.add_module("softmax", nn.Softmax(dim=1))  # BUG
    return model


def step(model, loss, x, y):
    return loss(model(x), y)


def main(x, y):
    model = build()
    loss = nn.CrossEntropyLoss()
    step(model, loss, x, y).backward()
