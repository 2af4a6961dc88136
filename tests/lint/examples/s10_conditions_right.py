import torch
from torch import nn


class OverlapLoss(nn.Module):
    def forward(self, chance, truth):
        return 1 - 2 * (chance * truth).sum() / (chance + truth).sum()


def make_loss(name):
    if name == "overlap":
        return OverlapLoss()
    return nn.BCEWithLogitsLoss()


class Net(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.head = nn.Linear(4, 1)
        if config.kind == "overlap":
            self.criterion = OverlapLoss()
        elif config.kind in ("bce", "weighted"):
            self.criterion = nn.BCEWithLogitsLoss()
        else:
            self.criterion = nn.BCEWithLogitsLoss(reduction="sum")

    def training_step(self, batch):
        score = self.head(batch["x"]).squeeze(-1)
        kind = self.config.get("kind", "bce")
        if kind == "overlap":
            chance = torch.sigmoid(score)
            return self.criterion(chance, batch["y"])
        return self.criterion(score, batch["y"])


def train(net, loader, args):
    loss_of = OverlapLoss() if args.overlap else nn.BCEWithLogitsLoss()
    for x, y in loader:
        out = net(x)
        if args.overlap:
            out = torch.sigmoid(out)
            loss_of(out, y).backward()
        else:
            loss_of(out, y).backward()
