"""T4: prefetch_factor does nothing without workers; the loader refuses it.

prefetch_factor is the number of batches that each worker loads ahead. Without workers nothing can
be loaded ahead, and the loader refuses the option.

Symptom: ValueError when the loader is created
Needs:   torch; cpu; about 3 s
Run:     python trap_prefetch_factor.py; python fixed.py
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
    loader = DataLoader(Photos(), batch_size=batch_size,
                        prefetch_factor=4)  # BUG: there is no worker to prefetch
    batches = iter(loader)
    loaded_by = {pid for _ in range(not_measured) for pid in next(batches).tolist()}
    waited, start = 0.0, time.perf_counter()
    for _ in range(num_batches - not_measured):
        before = time.perf_counter()
        loaded_by.update(next(batches).tolist())
        waited += time.perf_counter() - before
        time.sleep(step_wait)
    wait_share = waited / (time.perf_counter() - start)

    on_training_thread = loaded_by == {os.getpid()}
    healthy = wait_share < 0.45 and not on_training_thread
    print("OBSERVED", json.dumps({"healthy": healthy, "share_of_time_waiting": round(wait_share, 2),
                                  "loaded_by_the_training_process": on_training_thread}))
    sys.exit(0 if healthy else 1)
