"""DP6: globals and class attributes set in main() are missing in spawned workers.

A spawned or forkserver worker imports the module again. A pickle of an object holds the object's
own attributes, and neither module globals nor class attributes. What main() stored there is
missing in the worker.

Symptom: set to 10, and back at 0 in spawned and forkserver workers, without a message
Needs:   torch; cpu, linux; about 10 s
Run:     python broken_global_set_in_main.py; python fix_constructor_argument.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

start_methods = ["none (num_workers=0)", "fork", "spawn", "forkserver"]

brighter_by = 0


class Photos(Dataset):
    contrast = 0

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return torch.tensor([brighter_by, self.contrast])


def serve(start_method):
    """The brightness and the contrast of the one sample that the loader returns."""
    if start_method.startswith("none"):
        loader = DataLoader(Photos())
    else:
        loader = DataLoader(Photos(), num_workers=1, multiprocessing_context=start_method)
    return next(iter(loader))[0].tolist()


if __name__ == "__main__":
    brighter_by = 10  # BUG: a global of this process; a spawned worker imports the module again
    Photos.contrast = 10  # BUG: a class attribute; a pickle of an object holds no class

    seen = [serve(start_method) for start_method in start_methods]
    healthy = all(row == [10, 10] for row in seen)
    print("OBSERVED", json.dumps({"healthy": healthy, "start_methods": start_methods,
                                  "value_by_start_method_and_setting": seen}))
    sys.exit(0 if healthy else 1)
