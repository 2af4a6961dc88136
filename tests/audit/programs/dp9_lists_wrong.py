"""Images decoded once and kept in the dataset, workers stay alive between epochs."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def decode(i):
    return np.random.RandomState(i).randint(0, 255, (128, 128, 3), dtype=np.uint8)


class Gallery(Dataset):
    def __init__(self, count):
        self.count = count
        self.decoded = [None] * count

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        if self.decoded[i] is None:
            self.decoded[i] = decode(i)
        x = torch.from_numpy(self.decoded[i]).permute(2, 0, 1).float() / 255
        return x[:, ::4, ::4], i % 3


def main():
    torch.manual_seed(2)
    loader = DataLoader(Gallery(160), batch_size=16, shuffle=True, num_workers=2, persistent_workers=True)
    model = nn.Sequential(nn.Conv2d(3, 6, 5, 2), nn.ReLU(), nn.Flatten(), nn.Linear(6 * 14 * 14, 3))
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(5):
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            opt.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
