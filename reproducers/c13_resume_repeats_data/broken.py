"""C13: a resume in the middle of an epoch repeats some samples and skips others.

The order of an epoch is a random permutation, and the loop's place in it is a count. A
checkpoint with the epoch alone starts a new permutation at 0. The count has to be taken where
the batches are used: sampler and dataset are ahead of the loop by what the workers have
prefetched.

Symptom: stopped after 6 of 10 batches and resumed: of 40 samples some come twice, as many never
         come
Needs:   torch; cpu, linux; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
from collections import Counter

import torch
from torch.utils.data import DataLoader, Dataset, Sampler

samples, batch_size, stop_after = 40, 4, 6


class Numbers(Dataset):
    def __len__(self):
        return samples

    def __getitem__(self, index):
        return index


class Shuffled(Sampler):
    def __init__(self, seed, epoch, start=0):
        self.seed, self.epoch, self.start = seed, epoch, start

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed + self.epoch)
        return iter(torch.randperm(samples, generator=generator).tolist()[self.start:])

    def __len__(self):
        return samples - self.start


if __name__ == "__main__":
    seen, checkpoint = Counter(), {}
    loader = DataLoader(Numbers(), batch_size, sampler=Shuffled(0, epoch=3), num_workers=2,
                        multiprocessing_context="fork")
    for done, batch in enumerate(loader, 1):
        seen.update(batch.tolist())
        if done == stop_after:
            checkpoint = {"epoch": 3}  # BUG: but how far into it?
            break

    # in the next process, until the epoch has had its 10 batches
    sampler = Shuffled(0, checkpoint["epoch"])
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
