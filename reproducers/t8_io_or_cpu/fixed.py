"""T8: many workers can wait for storage at the same time, on few cores.

Waiting needs no core, so 10 workers can wait for storage at the same time on 2 cores.

Symptom: none: with 10 workers the loop waits much less, on the same cores
Needs:   torch; cpu; about 5 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
import time

import torch
from torch.utils.data import DataLoader

num_batches, batch_size, warm_up = 40, 2, 10
storage_wait = 0.060  # stands for one round trip to storage
step_wait = 0.020  # stands for one training step on a GPU


class Photos(torch.utils.data.Dataset):
    def __len__(self):
        return num_batches * batch_size

    def __getitem__(self, index):
        time.sleep(storage_wait)
        return torch.tensor(index)


def waiting_share(loader):
    """The share of the loop's time that is spent waiting, without the first batches."""
    waits, before = [], time.perf_counter()
    for batch in loader:
        waits.append(time.perf_counter() - before)
        time.sleep(step_wait)
        before = time.perf_counter()
    waited = sum(waits[warm_up:])
    return waited / (waited + step_wait * len(waits[warm_up:]))


if __name__ == "__main__":
    dataset = Photos()
    loader = DataLoader(dataset, batch_size=batch_size, num_workers=10,  # FIX: they only wait
                        persistent_workers=True)
    list(loader)  # a first epoch, to start the workers
    share = min(waiting_share(loader) for _ in range(2))  # other work can only add waits

    healthy = share < 0.45
    print("OBSERVED", json.dumps({"healthy": healthy, "share_of_time_waiting": round(share, 2)}))
    sys.exit(0 if healthy else 1)
