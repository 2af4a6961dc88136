"""C13: a loader with a generator seeded by the epoch, whose first batches are loaded and dropped.

The order is the same in every process, so skipping as many batches as were used is right. It loads
them again.

Symptom: none: every sample is seen once
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
