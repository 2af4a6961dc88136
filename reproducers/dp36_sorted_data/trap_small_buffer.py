"""DP36: a shuffle buffer that is smaller than a class does not mix the classes.

The buffer holds 50 rows, a class 200: most of the time all rows in it are of one class.

Symptom: no error: the accuracy on new samples is far below that of mixed rows
Needs:   torch; cpu; about 3 s
Run:     python trap_small_buffer.py; python fix_mixed_rows.py
"""
import json
import random
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

torch.set_num_threads(1)


def make_folder(count):
    labels = torch.arange(5).repeat_interleave(count)  # class by class, as ImageFolder lists them
    return TensorDataset(centers[labels] + torch.randn(5 * count, 20), labels)


class Rows(IterableDataset):
    def __init__(self, table):
        self.table = table

    def __iter__(self):
        buffer = []
        for row in self.table:
            buffer.append(row)
            if len(buffer) == 50:  # BUG: a class has 200 rows
                yield buffer.pop(random.randrange(50))
        random.shuffle(buffer)
        yield from buffer


if __name__ == "__main__":
    torch.manual_seed(0)
    random.seed(0)
    centers = torch.randn(5, 20)
    train_set, test_set = make_folder(200), make_folder(100)
    model = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    train_loader = DataLoader(Rows(train_set), batch_size=50)
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
