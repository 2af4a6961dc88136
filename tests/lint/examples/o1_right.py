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


def train_one(x, y):
    nn.functional.cross_entropy(model(x), y).backward()


def probed_step(x, y):
    model(x).mean().backward()
    optimizer.zero_grad()
    train_one(x, y)
    optimizer.step()


def probed_step_in_a_block(x, y):
    model(x).mean().backward()
    optimizer.zero_grad()
    with torch.autograd.set_detect_anomaly(True):
        nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()


def step_with_a_closure(x, closure):
    model(x).mean().backward()
    optimizer.zero_grad()
    optimizer.step(closure)
