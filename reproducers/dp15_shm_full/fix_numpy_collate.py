"""DP15: numpy arrays travel through a pipe, not through /dev/shm.

Only tensors are sent through shared memory. Anything else that collate_fn returns is pickled.

Symptom: none: all 16 batches arrive, and 0.08 MB of /dev/shm is in use
Needs:   torch; cpu, linux, 4 MB /dev/shm; about 5 s
Run:     python fix_numpy_collate.py
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
        return torch.ones(3, 128, 128)  # 0.19 MB; a batch of 4 is 0.75 MB


def to_numpy(samples):
    return torch.stack(samples).numpy()  # FIX: only tensors are sent through /dev/shm


if __name__ == "__main__":
    shm = shutil.disk_usage("/dev/shm").total >> 20 if os.path.isdir("/dev/shm") else 0
    if not 1 <= shm <= 8:
        print(f"SKIPPED /dev/shm is {shm} MB, this needs 4 MB")
        sys.exit(77)

    loader = DataLoader(
        Images(), batch_size=4, num_workers=4, prefetch_factor=2, collate_fn=to_numpy
    )

    sums, peak = [], 0
    for images in loader:
        images = torch.from_numpy(images)  # and back
        sums.append(images.sum().item())
        time.sleep(0.1)  # the training step: meanwhile the workers fill their queue
        peak = max(peak, shutil.disk_usage("/dev/shm").used)

    healthy = sums == [4 * 3 * 128 * 128] * num_batches
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(sums),
                                  "shm_mb": shm, "peak_mb": round(peak / 2**20, 2)}))
    sys.exit(0 if healthy else 1)
