"""T4: with num_workers=0, the default, every batch is loaded between two steps.

Without workers next(loader) calls __getitem__ for each sample of the batch, then collates, in the
process that trains. Loading and the step take turns, so their times add up. Workers load while
the step runs, so only the longer of the two counts.

Symptom: the training loop spends about two thirds of its time waiting for the next batch
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import os
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

num_batches, batch_size = 20, 4
not_measured = 4  # the first batch of each worker includes its start
storage_wait = 0.010  # stands for one round trip to storage
step_wait = 0.020  # stands for the work of the GPU


class Photos(Dataset):
    def __len__(self):
        return num_batches * batch_size

    def __getitem__(self, index):
        time.sleep(storage_wait)
        return torch.tensor(os.getpid())  # who loaded this sample, instead of the sample


if __name__ == "__main__":
    loader = DataLoader(Photos(), batch_size=batch_size)  # BUG: num_workers=0 is the default
    batches = iter(loader)
    loaded_by = {pid for _ in range(not_measured) for pid in next(batches).tolist()}
    waits, start = [], time.perf_counter()
    for _ in range(num_batches - not_measured):
        before = time.perf_counter()
        loaded_by.update(next(batches).tolist())
        waits.append(time.perf_counter() - before)
        time.sleep(step_wait)
    wait_share = sum(waits) / (time.perf_counter() - start)

    on_training_thread = loaded_by == {os.getpid()}
    healthy = len(waits) == 16 and wait_share < 0.45 and not on_training_thread
    print("OBSERVED", json.dumps({"healthy": healthy, "share_of_time_waiting": round(wait_share, 2),
                                  "loaded_by_the_training_process": on_training_thread}))
    sys.exit(0 if healthy else 1)
