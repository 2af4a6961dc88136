"""A split that leaves no sample for the evaluation."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


def main():
    torch.manual_seed(0)
    x = torch.randn(8, 4)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    train, held_out = random_split(data, [8 - int(0.1 * 8), int(0.1 * 8)])
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(3):
        for features, target in DataLoader(train, batch_size=4, shuffle=True):
            optimizer.zero_grad()
            nn.functional.mse_loss(model(features), target).backward()
            optimizer.step()
        total = 0.0
        for features, target in DataLoader(held_out, batch_size=4):
            total += nn.functional.mse_loss(model(features), target).item()
        print(epoch, total / max(len(held_out), 1))


if __name__ == "__main__":
    main()
