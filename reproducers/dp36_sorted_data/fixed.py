"""DP36: with shuffle=True each batch has samples of all classes.

The same folder, model and number of steps.

Symptom: none: the accuracy on new samples is 1.0
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)


def make_folder(count):
    labels = torch.arange(5).repeat_interleave(count)  # class by class, as ImageFolder lists them
    return TensorDataset(centers[labels] + torch.randn(5 * count, 20), labels)


if __name__ == "__main__":
    torch.manual_seed(0)
    centers = torch.randn(5, 20)
    train_set, test_set = make_folder(200), make_folder(100)
    model = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    train_loader = DataLoader(train_set, batch_size=50, shuffle=True)  # FIX: all classes
    for epoch in range(5):
        for x, y in train_loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()

    model.eval()
    x, y = test_set.tensors
    accuracy = (model(x).argmax(1) == y).float().mean().item()
    classes_by_batch = [len(labels.unique()) for _, labels in train_loader][:8]
    healthy = accuracy > 0.9
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": round(accuracy, 2),
                                  "classes_by_batch": classes_by_batch}))
    sys.exit(0 if healthy else 1)
