"""C13: a count taken in the sampler is ahead of the training loop.

The DataLoader asks the sampler num_workers * prefetch_factor batches ahead. The samples between the
sampler's count and the loop's are never used.

Symptom: the sampler has given out 40 samples when the loop has used 24; 16 of 60 are never seen
Needs:   torch; cpu, linux; about 3 s
Run:     python broken_sampler_counts.py
"""
import json
import sys
from collections import Counter

import torch
from torch.utils.data import DataLoader, Dataset, Sampler

samples, batch_size, stop_after = 60, 4, 6


class Numbers(Dataset):
    def __len__(self):
        return samples

    def __getitem__(self, index):
        return index


class Shuffled(Sampler):
    def __init__(self, seed, epoch, start=0):
        self.seed, self.epoch, self.start, self.given = seed, epoch, start, 0

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed + self.epoch)
        for index in torch.randperm(samples, generator=generator).tolist()[self.start:]:
            self.given += 1
            yield index

    def __len__(self):
        return samples - self.start


if __name__ == "__main__":
    seen, checkpoint = Counter(), {}
    sampler = Shuffled(0, epoch=3)
    loader = DataLoader(Numbers(), batch_size, sampler=sampler, num_workers=2,
                        multiprocessing_context="fork")
    for done, batch in enumerate(loader, 1):
        seen.update(batch.tolist())
        if done == stop_after:
            checkpoint = {"epoch": 3, "used": sampler.given}  # BUG: asked for, not used
            break

    # in the next process, until the epoch has had its 15 batches
    sampler = Shuffled(0, checkpoint["epoch"], checkpoint["used"])
    loader = DataLoader(Numbers(), batch_size, sampler=sampler)
    for done, batch in enumerate(loader, stop_after + 1):
        seen.update(batch.tolist())
        if done == samples // batch_size:
            break

    copies = [seen[index] for index in range(samples)]
    healthy = copies == [1] * samples
    print("OBSERVED", json.dumps({
        "healthy": healthy, "repeated": sum(n > 1 for n in copies),
        "never_seen": copies.count(0), "checkpoint": checkpoint}))
    sys.exit(0 if healthy else 1)
