"""DP23: a walk through the dataset finds samples that differ in type from the others, by index.

kind() describes a sample with its fields, so a None inside a dict or tuple shows as well.

Symptom: none: samples 3 and 5 are found
Needs:   torch; cpu; about 2 s
Run:     python fix_find_bad_samples.py; python broken.py
"""
import json
import sys

import torch
from torch.utils.data import Dataset


def kind(sample):
    if isinstance(sample, dict):
        return "{" + ", ".join("%s: %s" % (key, kind(sample[key])) for key in sorted(sample)) + "}"
    if isinstance(sample, (tuple, list)):
        return "(" + ", ".join(kind(value) for value in sample) + ")"
    return type(sample).__name__


def find_kinds(dataset):
    indices = {}
    for index in range(len(dataset)):
        indices.setdefault(kind(dataset[index]), []).append(index)  # FIX: None at any depth shows
    for name, where in indices.items():
        print(len(where), "samples", name, "first at index", where[0])
    return indices


class Photos(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        if index == 3:
            return None  # a damaged file; dpkb: ignore[DP23]
        mask = None if index == 5 else torch.zeros(4)  # no annotation
        return {"image": torch.zeros(3, 4), "target": (index, mask)}


if __name__ == "__main__":
    found = find_kinds(Photos())

    with_none = sorted(index for name in found if "None" in name for index in found[name])
    healthy = with_none == [3, 5] and len(found) == 3
    print("OBSERVED", json.dumps({"healthy": healthy, "kinds": len(found),
                                  "samples_with_none": with_none}))
    sys.exit(0 if healthy else 1)
