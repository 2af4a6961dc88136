"""T5: a function that tells how long an epoch takes to begin.

The function measures the time to the first batch. Without persistent workers the second call takes
about as long as the first.

Symptom: none: with persistent_workers=True the second epoch begins much faster than without
Needs:   torch; cpu; about 4 s
Run:     python fix_time_the_start.py
"""
import json
import sys
import time

import torch
from torch.utils.data import DataLoader

setup_wait, batch_size, num_workers = 0.4, 4, 2  # setup_wait stands for opening a remote index


class Photos(torch.utils.data.Dataset):
    index_is_open = False

    def __len__(self):
        return 16

    def __getitem__(self, index):
        if not self.index_is_open:
            time.sleep(setup_wait)  # once in each worker
            self.index_is_open = True
        return torch.tensor(index)


def seconds_to_first_batch(loader):
    """How long an epoch over this loader takes to begin."""
    before = time.perf_counter()
    for batch in loader:
        return time.perf_counter() - before


if __name__ == "__main__":
    dataset = Photos()
    loader = DataLoader(dataset, batch_size=batch_size, num_workers=num_workers)
    usual = [seconds_to_first_batch(loader) for epoch in range(2)]
    loader = DataLoader(dataset, batch_size=batch_size, shuffle=True, num_workers=num_workers,
                        persistent_workers=True)  # FIX: the workers stay for the next epoch
    persistent = [seconds_to_first_batch(loader) for epoch in range(2)]

    healthy = persistent[1] < 0.5 * usual[1]
    print("OBSERVED", json.dumps({"healthy": healthy, "usual_second_epoch": round(usual[1], 2),
                                  "persistent_second_epoch": round(persistent[1], 2)}))
    sys.exit(0 if healthy else 1)
