"""A key encoder with BatchNorm in training mode: frozen, and moved as an average of the trained one."""
import copy

import torch
from torch import nn


class Contrast(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Sequential(nn.Linear(16, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 8))
        self.key = copy.deepcopy(self.query).requires_grad_(False)

    def forward(self, first, second):
        with torch.no_grad():
            for mine, theirs in zip(self.key.parameters(), self.query.parameters()):
                mine.data.mul_(0.99).add_(theirs.data, alpha=0.01)
            keys = nn.functional.normalize(self.key(second), dim=1)
        return nn.functional.normalize(self.query(first), dim=1) @ keys.T / 0.2


torch.manual_seed(0)
model, data = Contrast(), torch.randn(256, 16)
optimizer = torch.optim.SGD(model.query.parameters(), lr=0.05, momentum=0.9)
for step in range(16):
    batch = data[torch.randperm(256)[:32]]
    scores = model(batch + 0.1 * torch.randn_like(batch), batch + 0.1 * torch.randn_like(batch))
    loss = nn.functional.cross_entropy(scores, torch.arange(32))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
