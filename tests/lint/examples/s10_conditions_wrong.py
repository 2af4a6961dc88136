import torch
from torch import nn


def train(net, loader, args):
    loss_of = nn.BCEWithLogitsLoss() if args.loss == "bce" else nn.L1Loss()
    for x, y in loader:
        out = net(x)
        if args.loss == "bce":
            out = torch.sigmoid(out)  # BUG: the loss of this branch has it
            loss_of(out, y).backward()
        else:
            loss_of(torch.sigmoid(out), y).backward()
