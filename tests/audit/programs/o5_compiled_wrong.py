"""A compiled model is validated without model.eval()."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(0)
    inputs = torch.randn(160, 8)
    labels = inputs[:, :3].argmax(1)
    train = DataLoader(TensorDataset(inputs[:128], labels[:128]), batch_size=16, shuffle=True)
    held_out = DataLoader(TensorDataset(inputs[128:], labels[128:]), batch_size=16)
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 3))
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(3):
        model.train()
        for x, y in train:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            print(sum(nn.functional.cross_entropy(model(x), y).item() for x, y in held_out))


if __name__ == "__main__":
    main()
