import torch
from torch import nn
from torch.nn import functional as F


class Scores(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(x)


def losses(x, y):
    scores = Scores()
    probability = torch.sigmoid(scores(x))
    attention = F.binary_cross_entropy_with_logits(scores(x * torch.sigmoid(x)), y)
    return nn.BCELoss()(probability, y) + nn.BCEWithLogitsLoss()(scores(x), y) + attention
