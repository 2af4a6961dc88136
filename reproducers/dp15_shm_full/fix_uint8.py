"""DP15: batches of uint8 need a quarter of the shared memory of float32.

The workers send bytes, and the training loop converts them to float after they have arrived.

Symptom: none: 4 x 2 batches of 0.19 MB fit into 4 MB
Needs:   torch; cpu, linux, 4 MB /dev/shm; about 5 s
Run:     python fix_uint8.py
"""
import json
import os
import shutil
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

num_batches = 16


class Images(Dataset):
    def __len__(self):
        return num_batches * 4

    def __getitem__(self, index):
        return torch.full((3, 128, 128), 255, dtype=torch.uint8)  # FIX: a batch is 0.19 MB


if __name__ == "__main__":
    shm = shutil.disk_usage("/dev/shm").total >> 20 if os.path.isdir("/dev/shm") else 0
    if not 1 <= shm <= 8:
        print(f"SKIPPED /dev/shm is {shm} MB, this needs 4 MB")
        sys.exit(77)

    loader = DataLoader(Images(), batch_size=4, num_workers=4, prefetch_factor=2)

    sums, peak = [], 0
    for images in loader:
        images = images.float() / 255  # FIX: converted after it has arrived
        sums.append(images.sum().item())
        time.sleep(0.1)  # the training step: meanwhile the workers fill their queue
        peak = max(peak, shutil.disk_usage("/dev/shm").used)

    healthy = sums == [4 * 3 * 128 * 128] * num_batches
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(sums),
                                  "shm_mb": shm, "peak_mb": round(peak / 2**20, 2)}))
    sys.exit(0 if healthy else 1)
