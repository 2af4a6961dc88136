"""T7: a deeper prefetch does not help workers that are too slow.

The workers load more slowly than the loop consumes, so the queue is empty most of the time. A
larger queue is just as empty.

Symptom: with prefetch_factor=8 the loop still waits for every third batch
Needs:   torch; cpu; about 4 s
Run:     python trap_deeper_prefetch.py; python fixed.py
"""
import json
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

num_batches, shown = 21, 3
load_wait = 0.120  # stands for the time to load one batch from storage
step_wait = 0.020  # stands for one training step on a GPU


class Photos(Dataset):
    def __len__(self):
        return num_batches

    def __getitem__(self, index):
        time.sleep(load_wait)
        return torch.tensor(index)


if __name__ == "__main__":
    loader = DataLoader(Photos(), num_workers=3, persistent_workers=True,
                        prefetch_factor=8)  # BUG: a deeper queue, filled no faster
    list(loader)  # a first epoch, to start the workers
    epochs = []
    for _ in range(3):
        waits, before = [], time.perf_counter()
        for batch in loader:
            waits.append(time.perf_counter() - before)
            time.sleep(step_wait)
            before = time.perf_counter()
        epochs.append(waits[shown:])  # without the first round, which fills the queue

    waits = min(epochs, key=sum)  # other work on the machine can only add waits
    share = sum(waits) / (sum(waits) + step_wait * len(waits))
    rounds = [waits[i:i + 3] for i in range(0, len(waits), 3)]
    in_steps = [[round(wait / step_wait) for wait in waits] for waits in rounds]
    healthy = share < 0.3
    print("OBSERVED", json.dumps({
        "healthy": healthy, "share_of_time_waiting": round(share, 2),
        "wait_in_steps_by_round_and_batch": in_steps}))
    sys.exit(0 if healthy else 1)
