"""T5: the DataLoader starts new workers for every epoch.

Each `for batch in loader` makes a new iterator, and that starts num_workers new processes: fork or
spawn, imports, a copy of the dataset, worker_init_fn. At the end of the epoch they end, and what
they had opened and cached goes with them. persistent_workers=True keeps them for the next epoch.

Symptom: with spawn an epoch begins with seconds in which a worker imports torch anew
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
