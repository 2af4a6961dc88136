"""DP36: a folder in class order is split at random, and both parts have all classes.

The indices are shuffled before the split.

Symptom: none: the validation accuracy is 1.0
Needs:   torch; cpu; about 3 s
Run:     python fix_split.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

torch.set_num_threads(1)


def make_folder(count):
    labels = torch.arange(5).repeat_interleave(count)  # class by class, as ImageFolder lists them
    return TensorDataset(centers[labels] + torch.randn(5 * count, 20), labels)


if __name__ == "__main__":
    torch.manual_seed(0)
    centers = torch.randn(5, 20)
    dataset = make_folder(200)
    order = torch.randperm(1000).tolist()  # FIX: shuffled before the split
    train_set = Subset(dataset, order[:800])  # FIX: all classes
    test_set = Subset(dataset, order[800:])  # FIX: all classes
    model = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    train_loader = DataLoader(train_set, batch_size=50, shuffle=True)
    for epoch in range(5):
        for x, y in train_loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()

    model.eval()
    x, y = dataset[list(test_set.indices)]
    accuracy = (model(x).argmax(1) == y).float().mean().item()
    trained = torch.cat([labels for _, labels in train_loader]).unique()
    healthy = accuracy > 0.9
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": round(accuracy, 2),
                                  "classes_in_training": len(trained)}))
    sys.exit(0 if healthy else 1)
