"""DP15: with fewer batches in flight a small /dev/shm is enough.

Two workers that prefetch one batch each, the batch in use and one that is being exchanged are
4 batches of 0.75 MB.

Symptom: none: all 16 batches arrive through a /dev/shm of 4 MB
Needs:   torch; cpu, linux, 4 MB /dev/shm; about 5 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import os
import shutil
import sys
import time

import torch
from torch.utils.data import DataLoader
from torch.utils.data import Dataset

num_batches = 16


class Images(Dataset):
    def __len__(self):
        return num_batches * 4

    def __getitem__(self, index):
        return torch.ones(3, 128, 128)  # 0.19 MB; a batch of 4 is 0.75 MB


if __name__ == "__main__":
    shm = shutil.disk_usage("/dev/shm").total >> 20 if os.path.isdir("/dev/shm") else 0
    if not 1 <= shm <= 8:
        print(f"SKIPPED /dev/shm is {shm} MB, this needs 4 MB")
        sys.exit(77)

    dataset = Images()
    # FIX: 2 x 1 batches of 0.75 MB, the one in use and the one on its way fit into 4 MB
    loader = DataLoader(dataset, batch_size=4, num_workers=2, prefetch_factor=1)

    sums, peak = [], 0
    for images in loader:
        sums.append(images.sum().item())
        time.sleep(0.1)  # the training step: meanwhile the workers fill their queue
        peak = max(peak, shutil.disk_usage("/dev/shm").used)

    healthy = sums == [4 * 3 * 128 * 128] * num_batches
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(sums),
                                  "shm_mb": shm, "peak_mb": round(peak / 2**20, 2)}))
    sys.exit(0 if healthy else 1)
