"""DP16: a schedule that is computed from len(loader) does not reach its end.

len(loader) is computed from len(dataset), as if one process made the batches. With workers and
drop_last=True an epoch has fewer.

Symptom: len(loader) is 5, the epoch has 4 steps, and the learning rate never reaches 0
Needs:   torch; cpu; about 2 s
Run:     python trap_len.py; python fixed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

num_samples, batch_size = 46, 8  # 5 full batches and 6 samples over


class Stream(IterableDataset):
    """Divided among the workers: no sample comes twice."""

    def __len__(self):
        return num_samples

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(worker, num_samples, workers))


if __name__ == "__main__":
    loader = DataLoader(Stream(), batch_size=batch_size, num_workers=2, drop_last=True)
    planned = 2 * len(loader)  # BUG: len(loader) counts one partial batch only
    steps = 0
    for epoch in range(2):
        for batch in loader:
            steps += 1
            learning_rate = 1 - steps / planned  # a schedule that ends at 0

    healthy = steps == planned
    print("OBSERVED", json.dumps({"healthy": healthy, "planned_steps": planned, "steps": steps,
                                  "last_learning_rate": round(learning_rate, 3)}))
    sys.exit(0 if healthy else 1)
