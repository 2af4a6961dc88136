"""Trains on numpy images, which are tensors before they are normalised."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import v2

transform = v2.Compose([
    v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5, 0.5, 0.5], [0.25, 0.25, 0.25])])


class Tiles(Dataset):
    def __init__(self, number):
        self.images = np.random.RandomState(0).randint(0, 256, (number, 16, 16, 3), dtype=np.uint8)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return transform(self.images[index]), index % 2

torch.manual_seed(0)
loader = DataLoader(Tiles(48), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 49, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for images, labels in loader:
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(images), labels).backward()
    optimizer.step()
