"""DP16: a streaming dataset with drop_last loses a partial batch in every worker.

With an IterableDataset each worker fills batches from its own part of the stream, and never
from another's. What is over at the end of its part is a partial batch, and drop_last throws
that away in every worker: up to num_workers * (batch_size - 1) samples, not batch_size - 1.

Symptom: 5 full batches of 8 out of 46 samples, with 2 workers
Needs:   torch; cpu; about 2 s
Run:     python fix_blocks.py; python broken.py
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
        for index in range(num_samples):
            if index // batch_size % workers == worker:  # FIX: deal out blocks of a whole batch
                yield index


if __name__ == "__main__":
    loader = DataLoader(Stream(), batch_size=batch_size, num_workers=2, drop_last=True)
    batches = list(loader)

    sizes = [len(batch) for batch in batches]
    never_seen = num_samples - len(torch.cat(batches).unique())
    healthy = sizes == [batch_size] * (num_samples // batch_size)
    print("OBSERVED", json.dumps({"healthy": healthy, "batch_sizes": sizes,
                                  "never_seen_of_46": never_seen}))
    sys.exit(0 if healthy else 1)
