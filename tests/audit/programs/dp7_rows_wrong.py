"""The length counts batches, so most pairs are never used."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, source, target, batch_size):
        self.source, self.target, self.batch_size = source, target, batch_size

    def __len__(self):
        return len(self.source) // self.batch_size

    def __getitem__(self, index):
        return {"source": self.source[index], "target": self.target[index]}

torch.manual_seed(0)
source = torch.randn(512, 5)
loader = DataLoader(Pairs(source, list(source.flip(1)), 16), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(10):
    for batch in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(batch["source"]), batch["target"]).backward()
        optimizer.step()
