"""DP10: normalising each test set with its own statistics costs 30 points of accuracy.

The weights are fitted to (x - mean) / std with the mean and std of the training set. Statistics
of the test set remove what makes that set different: with 90 % day images, day looks like the
middle between day and night.

Symptom: accuracy 0.64 instead of 0.94, on a test set with a different mix of classes
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
mixes = ["half day", "90 % day"]


def channel_statistics(loader):
    """Mean and standard deviation of each channel over all pixels of all images."""
    count, total, squares = 0, 0, 0
    for images, _ in loader:
        pixels = images.double().transpose(0, 1).flatten(1)  # one row for each channel
        count += pixels.shape[1]
        total = total + pixels.sum(dim=1)
        squares = squares + pixels.pow(2).sum(dim=1)
    mean = total / count
    std = (squares / count - mean**2).sqrt()
    return mean.float().view(3, 1, 1), std.float().view(3, 1, 1)


def photos(n, share_of_day):
    """Night (0) and day (1): they differ in brightness only."""
    day = (torch.rand(n) < share_of_day).long()
    brightness = 0.4 + 0.2 * day.float() + 0.06 * torch.randn(n)
    images = brightness.view(n, 1, 1, 1) + 0.03 * torch.randn(n, 3, 8, 8)
    return TensorDataset(images, day)


def accuracy(model, dataset, mean, std):
    images, labels = dataset.tensors
    with torch.no_grad():
        predicted = model((images - mean) / std).argmax(dim=1)
    return round((predicted == labels).float().mean().item(), 2)


if __name__ == "__main__":
    train_set = photos(1000, share_of_day=0.5)
    train_loader = DataLoader(train_set, batch_size=100)
    mean, std = channel_statistics(train_loader)
    model = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(3, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(10):
        for images, labels in train_loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model((images - mean) / std), labels).backward()
            optimizer.step()

    accuracies = []
    for share_of_day in (0.5, 0.9):
        test_set = photos(1000, share_of_day)
        mean, std = channel_statistics(DataLoader(test_set, batch_size=100))  # BUG: its own
        accuracies.append(accuracy(model, test_set, mean, std))

    healthy = min(accuracies) > 0.9
    print("OBSERVED", json.dumps({"healthy": healthy, "mixes": mixes,
                                  "accuracy_by_mix": accuracies}))
    sys.exit(0 if healthy else 1)
