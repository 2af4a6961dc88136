"""DP2: a shuffle with the same seed in all readers keeps each sample once.

A split by position is right only if all readers see the records in the same order. Each worker
has its own random seed, so a shuffle in __iter__ gives each reader a different order unless the
seed is passed in.

Symptom: none: 2 ranks, each sample comes once with 0, 1 and 2 workers
Needs:   torch; cpu; about 4 s
Run:     python fix_shuffle_with_shared_seed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

num_samples = 8
world_size = 2


class Stream(IterableDataset):
    def __init__(self, records, rank, world_size):
        self.records = records
        self.rank, self.world_size = rank, world_size
        self.epoch = 0  # set it before each epoch, the same on all ranks

    def __iter__(self):
        info = get_worker_info()
        num_workers, worker = (info.num_workers, info.id) if info else (1, 0)
        generator = torch.Generator().manual_seed(self.epoch)  # FIX: the same in all readers
        order = torch.randperm(len(self.records), generator=generator)  # FIX
        for place, i in enumerate(order):
            if place % (self.world_size * num_workers) == self.rank * num_workers + worker:
                yield self.records[i]


def copies_of_each_sample(num_workers):
    """What the loaders of all ranks return together. A rank needs no process of its own here."""
    seen = []
    for rank in range(world_size):
        stream = Stream(range(num_samples), rank, world_size)
        loader = DataLoader(stream, batch_size=2, num_workers=num_workers, collate_fn=list)
        for batch in loader:
            seen += batch
    return [seen.count(sample) for sample in range(num_samples)]


if __name__ == "__main__":
    torch.manual_seed(1)
    copies = [copies_of_each_sample(num_workers) for num_workers in (0, 1, 2)]

    healthy = copies == [[1] * num_samples] * 3
    print("OBSERVED", json.dumps({"healthy": healthy, "copies_by_workers_and_sample": copies}))
    sys.exit(0 if healthy else 1)
