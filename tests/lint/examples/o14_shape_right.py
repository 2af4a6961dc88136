import torch
import torch.nn as nn
import torch.nn.functional as F


def build():
    model = nn.Sequential()
    model.add_module("linear", nn.Linear(8, 3))
    model.add_module("softmax", nn.LogSoftmax(dim=1))
    return model


def main(x, y):
    model = build()
    nn.CrossEntropyLoss()(model(x).view(-1, 3), y).backward()


def entropy(scores, y):
    log_probabilities = F.log_softmax(scores, dim=1)
    return -(torch.exp(log_probabilities) * log_probabilities).sum() + F.cross_entropy(log_probabilities, y)
