"""T5: a spawned worker imports torch again before it loads anything.

A spawned worker is a new interpreter. It imports torch and unpickles the dataset before it can load
a batch.

Symptom: the first batch takes as long as many loads
Needs:   torch; cpu; about 6 s
Run:     python broken_spawn.py; python fixed.py
"""
import json
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

num_batches, load_wait = 6, 0.020  # load_wait stands for reading one batch


class Photos(Dataset):
    def __len__(self):
        return num_batches

    def __getitem__(self, index):
        time.sleep(load_wait)
        return torch.tensor(index)


if __name__ == "__main__":
    loader = DataLoader(Photos(), num_workers=1,
                        multiprocessing_context="spawn")  # BUG: a new interpreter for every epoch
    before = time.perf_counter()
    for step, batch in enumerate(loader):
        if step == 0:
            first_wait = (time.perf_counter() - before) / load_wait

    healthy = first_wait < 10
    print("OBSERVED", json.dumps({"healthy": healthy, "first_wait_in_loads": round(first_wait)}))
    sys.exit(0 if healthy else 1)
