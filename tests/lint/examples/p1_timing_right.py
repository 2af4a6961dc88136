import copy

import torch
from torch import nn


def seconds(device, x):
    net = nn.Linear(4, 4)
    fast = copy.deepcopy(net)
    fast.eval()
    fast.half()
    with torch.no_grad():
        return fast(x.half().to(device))


def train(net, loader, optimizer):
    scaler = torch.amp.GradScaler()
    for x, y in loader:
        optimizer.zero_grad()
        with torch.autocast("cuda"):
            loss = nn.functional.mse_loss(net(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
