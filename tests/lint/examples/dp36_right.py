from torch import nn
from torch.utils.data import DataLoader, WeightedRandomSampler
from torchvision import datasets, transforms


def train(model, root, optimizer, weights, options, shuffle):
    photos = datasets.ImageFolder(root, transforms.ToTensor())
    sampler = WeightedRandomSampler(weights, len(weights))
    loaders = DataLoader(photos, 32, True), DataLoader(photos, 32, sampler=sampler)
    known = DataLoader(photos, batch_size=32, shuffle=shuffle)
    unknown = DataLoader(photos, **options)
    for loader in (*loaders, known):
        for images, labels in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()
    for images, labels in unknown:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
