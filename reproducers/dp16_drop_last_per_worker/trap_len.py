"""DP16: a streaming dataset with drop_last loses a partial batch in every worker.

With an IterableDataset each worker fills batches from its own part of the stream, and never
from another's. What is over at the end of its part is a partial batch, and drop_last throws
that away in every worker: up to num_workers * (batch_size - 1) samples, not batch_size - 1.

Symptom: len(loader) is 5, the epoch has 4 steps, and the learning rate never comes down
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
    planned = 2 * len(loader)  # BUG: len(loader) knows of one partial batch only
    steps = 0
    for epoch in range(2):
        for batch in loader:
            steps += 1
            learning_rate = 1 - steps / planned  # a schedule that ends at 0

    healthy = steps == planned
    print("OBSERVED", json.dumps({"healthy": healthy, "planned_steps": planned, "steps": steps,
                                  "last_learning_rate": round(learning_rate, 3)}))
    sys.exit(0 if healthy else 1)
