"""DP18: a setting that is sent with the index also arrives late within an epoch.

The main process draws the indices of num_workers * prefetch_factor batches ahead, with the setting
of that moment.

Symptom: the setting is changed after 2 of 8 batches, and arrives 4 batches later
Needs:   torch; cpu; about 2 s
Run:     python trap_index_mid_epoch.py; python fix_in_the_index.py
"""
import json
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset, RandomSampler


class Photos(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index_and_size):
        index, size = index_and_size
        return torch.zeros(3, size, size)


class SizedSampler(RandomSampler):
    size = 32

    def __iter__(self):
        return ((index, self.size) for index in super(SizedSampler, self).__iter__())


if __name__ == "__main__":
    dataset = Photos()
    sampler = SizedSampler(dataset)
    loader = DataLoader(dataset, batch_size=1, sampler=sampler, num_workers=2,
                        persistent_workers=True)
    wanted, got = [], []
    for step, batch in enumerate(loader):
        wanted.append(32 if step < 2 else 64)
        got.append(batch.shape[-1])
        time.sleep(0.1)  # a training step; meanwhile the workers go on
        if step == 1:
            sampler.size = 64  # BUG: the indices of the next 4 batches are already sent

    late = sum(a != b for a, b in zip(wanted, got))
    healthy = late == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "got_size_by_step": got,
                                  "batches_too_late": late}))
    sys.exit(0 if healthy else 1)
