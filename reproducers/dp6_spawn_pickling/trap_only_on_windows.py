"""DP6: a DataLoader worker is a new process: it gets what can be pickled, and nothing else.

Under spawn and forkserver a worker imports the script again and receives dataset, collate_fn and
worker_init_fn as a pickle. A function or class that lives inside another function cannot be
pickled, and what main() set on a module or a class is not part of the pickle.

Symptom: on Linux, inside torch.multiprocessing.spawn, no start method named:
         Can't pickle local object 'train.<locals>.Photos' (Python 3.13: Can't get ...)
Needs:   torch; cpu, linux; about 8 s
Run:     python trap_only_on_windows.py; python fixed.py
"""
import json
import sys

import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, Dataset


def train(rank):
    """What runs once per GPU. Its workers are spawned, because it was."""
    class Photos(Dataset):  # BUG: a class inside a function, on the grounds that Linux forks
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
