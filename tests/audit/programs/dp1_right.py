"""Trains on random crops. Each worker seeds the generators of the transforms itself."""

import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

crops = np.random.default_rng(0)


class Images(Dataset):
    def __init__(self, pixels, transforms):
        self.pixels, self.transforms = pixels, transforms

    def __len__(self):
        return len(self.pixels)

    def __getitem__(self, index):
        image = self.pixels[index]
        for transform in self.transforms.values():
            image = transform(image)
        return image, index % 2

def crop(image):
    top, left = crops.integers(0, 5, 2)
    return image[:, top:top + 12, left:left + 12]

def seed_worker(worker_id):
    global crops
    crops = np.random.default_rng(torch.initial_seed())
    draws.seed(torch.initial_seed())

def flip_by(draws):
    return lambda image: image.flip(-1) if draws.random() < 0.5 else image

if __name__ == "__main__":
    torch.manual_seed(0)
    draws = random.Random(3)
    images = Images(torch.randn(32, 1, 16, 16), {"crop": crop, "flip": flip_by(draws)})
    loader = DataLoader(images, batch_size=8, shuffle=True, num_workers=2, multiprocessing_context="fork",
                        worker_init_fn=seed_worker)
    model = nn.Sequential(nn.Flatten(), nn.Linear(144, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(2):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
