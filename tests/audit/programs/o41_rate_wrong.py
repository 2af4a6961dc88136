"""Training code in functions, with a rate of 0 by mistake."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train_one_epoch(model, loader, optimizer, criterion):
    total = 0.0
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = criterion(model(inputs), labels)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item()
    return total / len(loader)


def main():
    torch.manual_seed(0)
    dataset = TensorDataset(torch.randn(256, 12), torch.randint(4, (256,)))
    loader = DataLoader(dataset, batch_size=16, shuffle=True)
    model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=0)
    for epoch in range(3):
        print(epoch, train_one_epoch(model, loader, optimizer, nn.CrossEntropyLoss()))


if __name__ == "__main__":
    main()
