"""Training continues from a checkpoint that has the weights only."""

import os
import tempfile

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(64, 4, generator=torch.Generator().manual_seed(0)))


def train(path, stop):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    first, used = 0, 0
    if os.path.exists(path):
        state = torch.load(path)
        model.load_state_dict(state["model"])
        first, used = state["epoch"], state["used"]
    batches = 0
    for epoch in range(first, first + 2):
        for index, (x,) in enumerate(DataLoader(data, batch_size=4)):
            if epoch == first and index < used:
                continue
            loss = model(x).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            batches += 1
            if batches == stop:
                torch.save({"model": model.state_dict(), "epoch": epoch, "used": index + 1}, path)
                return


if __name__ == "__main__":
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "last.pt")
        train(path, 22)
        train(path, 8)
