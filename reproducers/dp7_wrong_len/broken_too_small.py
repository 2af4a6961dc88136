"""DP7: a length that is too small leaves samples out.

The sampler draws its indices from range(len(dataset)) and never looks at what is stored. If
__len__ counts one thing and __getitem__ indexes another, it asks for items that do not exist, or
never asks for some that do.

Symptom: no error: 2 of 6 samples never come
Needs:   torch; cpu; about 2 s
Run:     python broken_too_small.py; python fixed.py
"""
import json
import sys
from collections import Counter

from torch.utils.data import DataLoader, Dataset

good = ["a.jpg", "b.jpg", "c.jpg", "d.jpg", "e.jpg", "f.jpg"]


class Photos(Dataset):
    def __init__(self, files):
        self.kept = list(files)
        self.length = len(files)  # BUG: a stored length that is out of date

    def add(self, files):
        self.kept += files

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return self.kept[index]


def past_the_end(dataset):
    """What dataset[len(dataset)] does. It should raise an IndexError."""
    try:
        return "served " + str(dataset[len(dataset)])
    except IndexError:
        return "IndexError"


if __name__ == "__main__":
    dataset = Photos(good[:4])
    dataset.add(good[4:])
    loader = DataLoader(dataset, batch_size=2, shuffle=True)
    served = Counter(name for batch in loader for name in batch)

    copies = [served[name] for name in good]
    end = past_the_end(dataset)
    healthy = copies == [1] * len(good) and end == "IndexError"
    print("OBSERVED", json.dumps({"healthy": healthy, "copies_by_sample": copies,
                                  "past_the_end": end}))
    sys.exit(0 if healthy else 1)
