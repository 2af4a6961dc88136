"""Dropout outside of forward(), and a validation that runs a wrapped model of another file."""

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = dropout
        self.out = nn.Linear(8, 8)

    def forward(self, q, k, v):
        return self.out(self.attend(q, k, v))

    def attend(self, q, k, v):
        weights = (q @ k.mT).softmax(-1)
        weights = nn.Dropout(self.dropout)(weights)  # BUG
        return F.dropout(weights @ v, self.dropout)  # BUG
