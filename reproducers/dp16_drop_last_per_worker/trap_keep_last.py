"""DP16: drop_last=False keeps one partial batch of every worker.

Nothing is lost, but each worker ends with an incomplete batch. Here these have one sample each,
which BatchNorm refuses.

Symptom: ValueError: Expected more than 1 value per channel when training
Needs:   torch; cpu; about 2 s
Run:     python trap_keep_last.py; python fixed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

num_samples, batch_size = 50, 8  # 25 in each worker: 3 full batches and 1 sample


class Stream(IterableDataset):
    """Divided among the workers: no sample comes twice."""

    def __len__(self):
        return num_samples

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        return (torch.full((3,), float(i)) for i in range(worker, num_samples, workers))


if __name__ == "__main__":
    model = torch.nn.BatchNorm1d(3)
    loader = DataLoader(Stream(), batch_size=batch_size, num_workers=2)  # BUG: 2 partial batches
    sizes = []
    for batch in loader:
        model(batch)
        sizes.append(len(batch))

    healthy = sum(size < batch_size for size in sizes) <= 1
    print("OBSERVED", json.dumps({"healthy": healthy, "batch_sizes": sizes}))
    sys.exit(0 if healthy else 1)
