"""C13: a resume in the middle of an epoch repeats some samples and skips others.

The order of an epoch is a random permutation, and the loop's place in it is a count. A
checkpoint with the epoch alone starts a new permutation at 0. The count has to be taken where
the batches are used: sampler and dataset are ahead of the loop by what the workers have
prefetched.

Symptom: the sampler's own count is ahead of the loop; the samples between the two never come
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
            checkpoint = {"epoch": 3, "used": sampler.given}  # BUG: that many have been asked for
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
