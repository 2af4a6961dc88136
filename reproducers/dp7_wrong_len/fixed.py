"""DP7: `__len__` and `__getitem__` of a Dataset do not agree.

The sampler takes its indices from range(len(dataset)) and never looks at what is stored. So a
length that is too big ends in an IndexError or, where `__getitem__` wraps the index round, in
repeated samples; a length that is too small leaves samples out. `for x in dataset` does not ask
for the length at all: it counts up until an IndexError.

Symptom: one epoch over 6 readable files serves two of them twice; nothing is raised
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
from collections import Counter

from torch.utils.data import DataLoader, Dataset

files = ["a.jpg", "b.jpg", "b.tmp", "c.jpg", "d.jpg", "d.tmp", "e.jpg", "f.jpg"]
good = [name for name in files if name.endswith(".jpg")]


class Photos(Dataset):
    def __init__(self, files):
        self.files = files
        self.kept = [name for name in files if name.endswith(".jpg")]

    def __len__(self):
        return len(self.kept)  # FIX: count the list that is indexed

    def __getitem__(self, index):
        return self.kept[index]  # FIX: let a wrong index raise


def past_the_end(dataset):
    """What dataset[len(dataset)] gives. It should give an IndexError."""
    try:
        return "served " + dataset[len(dataset)]
    except IndexError:
        return "IndexError"


if __name__ == "__main__":
    dataset = Photos(files)
    loader = DataLoader(dataset, batch_size=2, shuffle=True)
    served = Counter(name for batch in loader for name in batch)

    copies = [served[name] for name in good]
    end = past_the_end(dataset)
    healthy = copies == [1] * len(good) and end == "IndexError"
    print("OBSERVED", json.dumps({"healthy": healthy, "copies_by_sample": copies,
                                  "past_the_end": end}))
    sys.exit(0 if healthy else 1)
