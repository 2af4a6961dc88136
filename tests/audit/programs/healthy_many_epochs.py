"""Many short epochs, each followed by an evaluation, with gradient accumulation that ends with the epoch."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(480, 8)
    y = (x.sum(1) > 0).long()
    train = DataLoader(TensorDataset(x[:400], y[:400]), batch_size=8, shuffle=True)
    test = DataLoader(TensorDataset(x[400:], y[400:]), batch_size=8)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(30):
        model.train()
        for number, (inputs, labels) in enumerate(train, 1):
            loss = nn.functional.cross_entropy(model(inputs), labels) / 2
            loss.backward()
            if number % 2 == 0:
                optimizer.step()
                optimizer.zero_grad()
        model.eval()
        with torch.no_grad():
            right = sum(int((model(inputs).argmax(1) == labels).sum()) for inputs, labels in test)
    print(right / 80)
