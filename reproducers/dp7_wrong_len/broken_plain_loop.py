"""DP7: `__len__` and `__getitem__` of a Dataset do not agree.

The sampler takes its indices from range(len(dataset)) and never looks at what is stored. So a
length that is too big ends in an IndexError or, where `__getitem__` wraps the index round, in
repeated samples; a length that is too small leaves samples out. `for x in dataset` does not ask
for the length at all: it counts up until an IndexError.

Symptom: `for x in dataset` does not end, although len(dataset) is right
Needs:   torch; cpu; about 2 s
Run:     python broken_plain_loop.py; python fixed.py
"""
import json
import sys
from itertools import islice

from torch.utils.data import Dataset

good = ["a.jpg", "b.jpg", "c.jpg", "d.jpg", "e.jpg", "f.jpg"]
patience = 100


class Photos(Dataset):
    def __len__(self):
        return len(good)

    def __getitem__(self, index):
        return good[index % len(good)]  # BUG: only an IndexError ends `for x in dataset`


if __name__ == "__main__":
    dataset = Photos()
    served = [name for name in islice(dataset, patience)]

    healthy = len(served) == len(dataset)
    print("OBSERVED", json.dumps({"healthy": healthy, "served_by_plain_loop": len(served),
                                  "gave_up_after": patience, "len": len(dataset)}))
    sys.exit(0 if healthy else 1)
