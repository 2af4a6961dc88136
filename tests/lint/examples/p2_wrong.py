import torch
from torch import nn


def train(loader):
    model = nn.Linear(8, 1).cuda().half()  # BUG
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x.half()), y).backward()
        optimizer.step()


def train_with_autocast(model, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):  # BUG
            loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
