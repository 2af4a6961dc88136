import torch
from torch import nn

model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def step(x, y):
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()


def clipped_step(x, y):
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    gradients = [parameter.grad.clone() for parameter in model.parameters()]
    optimizer.zero_grad()
    for parameter, gradient in zip(model.parameters(), gradients, strict=True):
        parameter.grad = gradient.clamp(-1, 1)
    optimizer.step()
