"""Validates after each epoch, in evaluation mode. The model computes two losses in forward()."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.2))
        self.kind, self.size = nn.Linear(16, 3), nn.Linear(16, 1)

    def forward(self, x, kind, size):
        features = self.body(x)
        return (nn.functional.cross_entropy(self.kind(features), kind)
                + nn.functional.mse_loss(self.size(features)[:, 0], size))


def samples(n):
    x = torch.randn(n, 6)
    return TensorDataset(x, x[:, :3].argmax(1), x.sum(1))


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Model()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    train_loader, val_loader = DataLoader(samples(96), 16, shuffle=True), DataLoader(samples(48), 16)
    for _ in range(3):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            model(*batch).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            print(sum(model(*batch).item() for batch in val_loader))
