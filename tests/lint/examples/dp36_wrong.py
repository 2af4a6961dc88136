import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, transforms


def train(model, root, optimizer):
    photos = datasets.ImageFolder(root, transforms.ToTensor())
    loader = DataLoader(photos, batch_size=32, shuffle=False)  # BUG
    for images, labels in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
    with torch.no_grad():
        return [model(images) for images, _ in DataLoader(photos, batch_size=32)]
