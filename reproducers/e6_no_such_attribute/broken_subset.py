"""E6: a part of a dataset is asked for the class names of the whole.

random_split returns Subset objects. They keep the dataset in `dataset` and pass on none of its
attributes.

Symptom: AttributeError: 'Subset' object has no attribute 'classes'
Needs:   torch; cpu; about 3 s
Run:     python broken_subset.py
"""
import json
import sys

import torch
from torch.utils.data import Dataset, random_split

torch.manual_seed(0)


class Folder(Dataset):
    """Like ImageFolder: samples, and the names of their classes."""

    classes = ["cat", "dog", "fox"]

    def __len__(self):
        return 30

    def __getitem__(self, index):
        return torch.randn(3), index % 3


if __name__ == "__main__":
    train, val = random_split(Folder(), [20, 10])
    num_classes = len(train.classes)  # BUG: train is a Subset
    model = torch.nn.Linear(3, num_classes)
    logits = model(train[0][0])

    healthy = len(logits) == 3
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": len(logits)}))
    sys.exit(0 if healthy else 1)
