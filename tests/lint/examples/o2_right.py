import torch
from torch import nn


def train_in_two_stages(train):
    model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train(model, optimizer)
    model[1] = nn.Linear(8, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train(model, optimizer)


def train_features(train):
    model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train(model, optimizer)
    model[1] = nn.Identity()
    train(model, optimizer)


def replace_the_head_after_training(train):
    model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train(model, optimizer)
    model[1] = nn.Linear(8, 4)
    return model
