"""DP7: `__len__` and `__getitem__` of a Dataset do not agree.

The sampler takes its indices from range(len(dataset)) and never looks at what is stored. So a
length that is too big ends in an IndexError or, where `__getitem__` wraps the index round, in
repeated samples; a length that is too small leaves samples out. `for x in dataset` does not ask
for the length at all: it counts up until an IndexError.

Symptom: two of 6 files are never served, shuffled or not; nothing is raised
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
        self.length = len(files)  # BUG: a copy of the length, which nothing keeps up to date

    def add(self, files):
        self.kept += files

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return self.kept[index]


def past_the_end(dataset):
    """What dataset[len(dataset)] gives. It should give an IndexError."""
    try:
        return "served " + dataset[len(dataset)]
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
