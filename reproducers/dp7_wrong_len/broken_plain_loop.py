"""DP7: a dataset that takes the index modulo never ends a plain for loop.

A plain "for x in dataset" is Python's old sequence protocol: it ignores __len__ and counts up
until __getitem__ raises an IndexError.

Symptom: stopped after 100 items, and len(dataset) is 6
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
