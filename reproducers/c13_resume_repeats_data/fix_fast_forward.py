"""C13: skipping the first batches in the batch sampler, so that nothing is loaded twice.

A batch sampler yields lists of indices. Leaving the first lists out costs nothing, while skipping
batches of a DataLoader reads and decodes them. It works with any sampler whose order follows from
the epoch, such as DistributedSampler with set_epoch.

Symptom: none: two ranks, one epoch with two stops, every sample is seen once
Needs:   torch; cpu; about 2 s
Run:     python fix_fast_forward.py
"""
import json
import sys
from collections import Counter
from itertools import islice

import torch
from torch.utils.data import BatchSampler, DataLoader, DistributedSampler

num_samples, batch_size, world_size = 40, 4, 2
seen, batches_left = Counter(), []


class SkipBatches:
    """A batch sampler without its first batches. Use it for the resumed epoch only."""

    def __init__(self, batch_sampler, skip):
        self.batch_sampler, self.skip = batch_sampler, skip

    def __iter__(self):
        return islice(iter(self.batch_sampler), self.skip, None)

    def __len__(self):
        return len(self.batch_sampler) - self.skip


def train(rank, checkpoint, stop_after):
    dataset = torch.arange(num_samples)
    sampler = DistributedSampler(dataset, num_replicas=world_size, rank=rank)
    sampler.set_epoch(checkpoint["epoch"])
    batches = SkipBatches(BatchSampler(sampler, batch_size, drop_last=False), checkpoint["batches"])
    loader = DataLoader(dataset, batch_sampler=batches)
    batches_left.append(len(loader))
    for done, batch in enumerate(loader, checkpoint["batches"] + 1):  # FIX: continue the count
        seen.update(batch.tolist())
        if done == stop_after:
            return {"epoch": checkpoint["epoch"], "batches": done}


if __name__ == "__main__":
    for rank in range(world_size):  # a rank needs no process here
        checkpoint = {"epoch": 3, "batches": 0}
        for stop_after in (1, 3, 5):
            checkpoint = train(rank, checkpoint, stop_after)

    copies = [seen[index] for index in range(num_samples)]
    healthy = copies == [1] * num_samples and batches_left == [5, 4, 2] * world_size
    print("OBSERVED", json.dumps({
        "healthy": healthy, "repeated": sum(n > 1 for n in copies),
        "never_seen": copies.count(0), "checkpoint": checkpoint,
        "batches_left_by_start": batches_left}))
    sys.exit(0 if healthy else 1)
