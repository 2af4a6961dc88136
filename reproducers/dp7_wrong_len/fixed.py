"""DP7: with length and items from the same list, every sample comes once.

The sampler draws its indices from range(len(dataset)). Here length and items come from the same
list, and an index past the end raises an IndexError.

Symptom: none: 6 of 6 samples come once, and dataset[len(dataset)] raises
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
    """What dataset[len(dataset)] does. It should raise an IndexError."""
    try:
        return "served " + str(dataset[len(dataset)])
    except IndexError:
        return "IndexError"


if __name__ == "__main__":
    dataset = Photos(files)
    loader = DataLoader(dataset, batch_size=2, shuffle=True)
    served = Counter(name for batch in loader for name in batch)
    print(len(served), "of", len(dataset), "samples came; most often:", served.most_common(3))

    copies = [served[name] for name in good]
    end = past_the_end(dataset)
    healthy = copies == [1] * len(good) and end == "IndexError"
    print("OBSERVED", json.dumps({"healthy": healthy, "copies_by_sample": copies,
                                  "past_the_end": end}))
    sys.exit(0 if healthy else 1)
