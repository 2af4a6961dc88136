import torch
from torch import nn


def first(model):
    total = 0.0
    for _ in range(2):
        loss = model(torch.ones(1, 2)).sum()
        loss.backward()
        total += loss
    return float(total)


def second(model):
    result = 0.0
    while result == 0.0:
        loss = model(torch.ones(1, 2)).pow(2).sum()
        loss.backward()
        result = result + loss
    return result


torch.manual_seed(0)
model = nn.Linear(2, 1)
print(first(model), second(model), model.weight.grad)
