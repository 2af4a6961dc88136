"""T7: with too few workers the loop stalls at every num_workers-th batch.

Workers get the batches in turn, and the loop takes them in that order. Workers that began together
finish together: one long wait, then num_workers - 1 batches at once. prefetch_factor is how far a
worker may run ahead. That bridges a slow batch now and then, but makes no worker faster.

Symptom: with 3 workers the loop waits about three steps for every third batch
Needs:   torch; cpu; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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
    loader = DataLoader(Photos(), num_workers=3,  # BUG: 3 batches in the time of 6 steps
                        persistent_workers=True)
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
