"""DP16: a streaming dataset with drop_last loses a partial batch in every worker.

With an IterableDataset each worker fills batches from its own part of the stream, and never
from another's. What is over at the end of its part is a partial batch, and drop_last throws
that away in every worker: up to num_workers * (batch_size - 1) samples, not batch_size - 1.

Symptom: with 46 samples, batches of 24 and 2 workers an epoch has no batch at all
Needs:   torch; cpu; about 2 s
Run:     python broken_no_batch.py; python fixed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

num_samples, batch_size = 46, 24  # 1 full batch and 22 samples over


class Stream(IterableDataset):
    """Divided among the workers: no sample comes twice."""

    def __len__(self):
        return num_samples

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(worker, num_samples, workers))


if __name__ == "__main__":
    loader = DataLoader(Stream(), batch_size=batch_size, num_workers=2,
                        drop_last=True)  # BUG: 23 samples a worker do not fill one batch of 24
    steps = 0
    for batch in loader:
        steps += 1

    healthy = steps == num_samples // batch_size
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps,
                                  "len_of_loader": len(loader)}))
    sys.exit(0 if healthy else 1)
