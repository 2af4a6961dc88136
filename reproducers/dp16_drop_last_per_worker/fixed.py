"""DP16: if the main process cuts the batches again, only one partial batch is left.

The workers keep their incomplete batches. The main process joins all batches and cuts full ones;
the rest is dropped once, at the end.

Symptom: none: 46 samples make 5 full batches with 2 workers
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

num_samples, batch_size = 46, 8  # 5 full batches and 6 samples over


class Stream(IterableDataset):
    """Divided among the workers: no sample comes twice."""

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(worker, num_samples, workers))


def full_batches(batches, rest=torch.empty(0, dtype=torch.int64)):  # FIX: keeps the rest
    for batch in batches:
        rest = torch.cat([rest, batch])
        while len(rest) >= batch_size:
            yield rest[:batch_size]
            rest = rest[batch_size:]


if __name__ == "__main__":
    loader = DataLoader(Stream(), batch_size=batch_size, num_workers=2)  # FIX: not dropped here
    epochs = [list(full_batches(loader)) for epoch in range(2)]  # FIX: dropped once, at the end
    batches = epochs[0]

    sizes = [len(batch) for batch in batches]
    never_seen = num_samples - len(torch.cat(epochs[0] + epochs[1]).unique())
    healthy = sizes == [batch_size] * (num_samples // batch_size)
    print("OBSERVED", json.dumps({"healthy": healthy, "batch_sizes": sizes,
                                  "never_seen_of_46": never_seen}))
    sys.exit(0 if healthy else 1)
