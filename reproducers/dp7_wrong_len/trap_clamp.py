"""DP7: clamping the index repeats the last sample.

Every index past the end becomes the last one. Nothing is raised, and the last sample is returned
again.

Symptom: no error: the last sample comes three times in an epoch
Needs:   torch; cpu; about 2 s
Run:     python trap_clamp.py; python fixed.py
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
        return len(self.files)  # BUG: also counts the discarded files

    def __getitem__(self, index):
        return self.kept[min(index, len(self.kept) - 1)]  # BUG: the last file several times


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

    copies = [served[name] for name in good]
    end = past_the_end(dataset)
    healthy = copies == [1] * len(good) and end == "IndexError"
    print("OBSERVED", json.dumps({"healthy": healthy, "copies_by_sample": copies,
                                  "past_the_end": end}))
    sys.exit(0 if healthy else 1)
