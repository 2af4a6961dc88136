"""In the fourth epoch the augmentation divides by a range of 0, long after the audit has stopped looking at each step."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Signals(Dataset):
    epoch = 0

    def __init__(self):
        self.x = torch.randn(2400, 16, generator=torch.Generator().manual_seed(3))
        self.x[2000] = 1.0

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        x = self.x[i]
        if self.epoch >= 3:
            x = (x - x.min()) / (x.max() - x.min())
        return x, x.clamp(-1, 1).sum()


if __name__ == "__main__":
    torch.manual_seed(0)
    data = Signals()
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    loader = DataLoader(data, batch_size=8)
    for epoch in range(4):
        data.epoch = epoch
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x)[:, 0], y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())
