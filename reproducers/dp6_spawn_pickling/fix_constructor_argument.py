"""DP6: settings passed to the dataset's constructor arrive in every worker.

A spawned or forkserver worker imports the module again. A pickle of an object holds the object's
own attributes, and neither module globals nor class attributes. What main() stored there is
missing in the worker.

Symptom: none: both settings are 10 under every start method
Needs:   torch; cpu, linux; about 10 s
Run:     python broken_global_set_in_main.py; python fix_constructor_argument.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

start_methods = ["none (num_workers=0)", "fork", "spawn", "forkserver"]


class Photos(Dataset):
    def __init__(self, brighter_by, contrast):  # FIX: attributes of the object are pickled
        self.brighter_by = brighter_by
        self.contrast = contrast

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return torch.tensor([self.brighter_by, self.contrast])


def serve(start_method):
    """The brightness and the contrast of the one sample that the loader returns."""
    photos = Photos(brighter_by=10, contrast=10)  # FIX
    if start_method.startswith("none"):
        loader = DataLoader(photos)
    else:
        loader = DataLoader(photos, num_workers=1, multiprocessing_context=start_method)
    return next(iter(loader))[0].tolist()


if __name__ == "__main__":
    dataset = Photos(brighter_by=10, contrast=10)
    one = DataLoader(dataset, num_workers=1, multiprocessing_context="spawn")
    print("here:", dataset[0], "in a worker:", next(iter(one))[0])

    seen = [serve(start_method) for start_method in start_methods]
    healthy = seen == [[10, 10]] * 4
    print("OBSERVED", json.dumps({"healthy": healthy, "start_methods": start_methods,
                                  "value_by_start_method_and_setting": seen}))
    sys.exit(0 if healthy else 1)
