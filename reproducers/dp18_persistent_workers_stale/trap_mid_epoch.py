"""DP18: a shared setting that changes in the middle of an epoch arrives some batches late.

Up to num_workers * prefetch_factor batches are already made when the setting changes.

Symptom: the setting is changed after 2 of 8 batches, and arrives 4 batches later
Needs:   torch; cpu; about 2 s
Run:     python trap_mid_epoch.py; python fixed.py
"""
import json
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Photos(Dataset):
    def __init__(self):
        self.size = torch.tensor(32).share_memory_()

    def __len__(self):
        return 8

    def __getitem__(self, index):
        size = int(self.size)
        return torch.zeros(3, size, size)


if __name__ == "__main__":
    dataset = Photos()
    loader = DataLoader(dataset, batch_size=1, num_workers=2, persistent_workers=True)
    wanted, got = [], []
    for step, batch in enumerate(loader):
        wanted.append(32 if step < 2 else 64)
        got.append(batch.shape[-1])
        time.sleep(0.1)  # a training step; meanwhile the workers go on
        if step == 1:
            dataset.size.fill_(64)  # BUG: 2 workers x 2 batches are already made

    late = sum(a != b for a, b in zip(wanted, got))
    healthy = late == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "got_size_by_step": got,
                                  "batches_too_late": late}))
    sys.exit(0 if healthy else 1)
