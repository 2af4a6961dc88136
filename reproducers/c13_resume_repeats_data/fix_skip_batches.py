"""C13: a resume in the middle of an epoch repeats some samples and skips others.

The order of an epoch is a random permutation, and the loop's place in it is a count. A
checkpoint with the epoch alone starts a new permutation at 0. The count has to be taken where
the batches are used: sampler and dataset are ahead of the loop by what the workers have
prefetched.

Symptom: a loader seeded by the epoch, its first 6 batches thrown away: every sample once
Needs:   torch; cpu; about 2 s
Run:     python fix_skip_batches.py
"""
import json
import sys
from collections import Counter
from itertools import islice

import torch
from torch.utils.data import DataLoader, Dataset

samples, batch_size, stop_after = 40, 4, 6


class Numbers(Dataset):
    def __len__(self):
        return samples

    def __getitem__(self, index):
        return index


def epoch_loader(epoch):
    generator = torch.Generator().manual_seed(epoch)
    return DataLoader(Numbers(), batch_size, shuffle=True, generator=generator)


if __name__ == "__main__":
    seen = Counter()
    for batch in islice(epoch_loader(3), stop_after):
        seen.update(batch.tolist())
    checkpoint = {"epoch": 3, "batches": stop_after}

    # in the next process: the same order, and its first batches are loaded and thrown away
    for batch in islice(epoch_loader(checkpoint["epoch"]), checkpoint["batches"], None):  # FIX
        seen.update(batch.tolist())

    copies = [seen[index] for index in range(samples)]
    healthy = copies == [1] * samples
    print("OBSERVED", json.dumps({
        "healthy": healthy, "repeated": sum(n > 1 for n in copies),
        "never_seen": copies.count(0), "checkpoint": checkpoint}))
    sys.exit(0 if healthy else 1)
