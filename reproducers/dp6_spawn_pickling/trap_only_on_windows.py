"""DP6: under torch.multiprocessing.spawn, workers are spawned on Linux as well.

In a process that torch.multiprocessing.spawn started, the default start method is spawn, also on
Linux. A DataLoader in it spawns its workers and pickles the dataset.

Symptom: AttributeError: Can't pickle local object 'train.<locals>.Photos'
Needs:   torch; cpu, linux; about 8 s
Run:     python trap_only_on_windows.py; python fixed.py
"""
import json
import sys

import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, Dataset


def train(rank):
    """Runs once per GPU. It was spawned, so its workers are spawned by default."""
    class Photos(Dataset):  # BUG: a class inside a function cannot be pickled
        def __len__(self):
            return 2

        def __getitem__(self, index):
            return torch.tensor(float(index))

    for batch in DataLoader(Photos(), batch_size=2, num_workers=1):
        pass


if __name__ == "__main__":
    finished = mp.spawn(train, nprocs=1) is None

    healthy = finished
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
