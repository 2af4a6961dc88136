"""C13: with the number of used samples in the checkpoint, every sample comes once.

The order follows from seed and epoch. The training loop counts the samples that it has used, and
starts that count from the checkpoint, so a second stop in the same epoch is right as well.

Symptom: none: one epoch with two stops, and every sample is seen once
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
from collections import Counter

import torch
from torch.utils.data import DataLoader, Dataset, Sampler

num_samples, batch_size = 40, 4
seen, batches_left = Counter(), []


class Numbers(Dataset):
    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        return index


class ResumableSampler(Sampler):
    """The order follows from seed and epoch; the first `start` samples of it are left out."""

    def __init__(self, length, seed, epoch, start):
        self.length, self.seed, self.epoch, self.start = length, seed, epoch, start

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed + self.epoch)
        return iter(torch.randperm(self.length, generator=generator).tolist()[self.start:])

    def __len__(self):
        return self.length - self.start


def train(dataset, checkpoint, stop_after):
    """One process: it continues from a checkpoint until the job is stopped."""
    epoch, used = checkpoint["epoch"], checkpoint["used"]
    sampler = ResumableSampler(len(dataset), seed=0, epoch=epoch, start=used)
    loader = DataLoader(dataset, batch_size=batch_size, sampler=sampler, num_workers=2)
    batches_left.append(len(loader))
    for done, batch in enumerate(loader, 1):
        seen.update(batch.tolist())
        used += len(batch)  # FIX: counted in this loop, on top of the checkpoint
        checkpoint = {"epoch": epoch, "used": used}  # FIX
        if done == stop_after:
            return checkpoint


if __name__ == "__main__":
    checkpoint = {"epoch": 3, "used": 0}
    for stop_after in (3, 3, 4):  # one epoch of 10 batches, stopped twice on the way
        checkpoint = train(Numbers(), checkpoint, stop_after)

    copies = [seen[index] for index in range(num_samples)]
    healthy = copies == [1] * num_samples and batches_left == [10, 7, 4]
    print("OBSERVED", json.dumps({
        "healthy": healthy, "repeated": sum(n > 1 for n in copies),
        "never_seen": copies.count(0), "checkpoint": checkpoint,
        "batches_left_by_start": batches_left}))
    sys.exit(0 if healthy else 1)
