"""The dataset gets a new order in each epoch, but the workers do not hear of it."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class InOrder(Dataset):
    def __init__(self, images):
        self.images = images
        self.order = list(range(len(images)))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[self.order[index]], index % 2


if __name__ == "__main__":
    torch.manual_seed(0)
    dataset = InOrder(torch.rand(48, 3, 16, 16))
    loader = DataLoader(dataset, batch_size=8, num_workers=2, persistent_workers=True)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        dataset.order = torch.randperm(len(dataset.images)).tolist()
