import torch
from torch import nn


def train(model, loader, optimizer, enabled):
    for x, y in loader:
        optimizer.zero_grad()
        with torch.autocast("cpu"):
            loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()


def predict(model, loader):
    model = model.eval().half()
    with torch.no_grad(), torch.autocast("cuda", dtype=torch.float16):
        return [model(x.half()) for x in loader]
