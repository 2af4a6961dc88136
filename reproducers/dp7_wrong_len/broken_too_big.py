"""DP7: a length that is too big passes a short test and fails when shuffled.

The sampler draws its indices from range(len(dataset)) and never looks at what is stored. If
__len__ counts one thing and __getitem__ indexes another, it asks for items that do not exist, or
never asks for some that do.

Symptom: IndexError: Caught IndexError in DataLoader worker process 0
Needs:   torch; cpu; about 4 s
Run:     python broken_too_big.py; python fixed.py
"""
import json
import sys
from collections import Counter
from itertools import islice

from torch.utils.data import DataLoader, Dataset

files = ["a.jpg", "b.jpg", "b.tmp", "c.jpg", "d.jpg", "d.tmp", "e.jpg", "f.jpg"]
good = [name for name in files if name.endswith(".jpg")]


class Photos(Dataset):
    def __init__(self, files):
        self.files = files
        self.kept = [name for name in files if name.endswith(".jpg")]

    def __len__(self):
        return len(self.files)  # BUG: also counts the discarded files

    def __getitem__(self, index):
        return self.kept[index]


if __name__ == "__main__":
    dataset = Photos(files)
    for batch in islice(DataLoader(dataset, batch_size=2), 2):
        print("a quick trial, in order:", batch)

    loader = DataLoader(dataset, batch_size=2, shuffle=True, num_workers=1)
    served = Counter(name for batch in loader for name in batch)

    copies = [served[name] for name in good]
    healthy = copies == [1] * len(good)
    print("OBSERVED", json.dumps({"healthy": healthy, "copies_by_sample": copies}))
    sys.exit(0 if healthy else 1)
