"""DP15: clones of the batches can be kept, because they are in ordinary memory.

clone() copies the batch out of /dev/shm, and the shared original is released.

Symptom: none: 16 kept clones of 0.75 MB, and /dev/shm of 4 MB is enough
Needs:   torch; cpu, linux, 4 MB /dev/shm; about 5 s
Run:     python broken_kept_batches.py; python fix_kept_clone.py
"""
import json
import os
import shutil
import sys

import torch
from torch.utils.data import DataLoader, Dataset

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

    loader = DataLoader(Images(), batch_size=4, num_workers=1)

    kept = [images.clone() for images in loader]  # FIX: a clone is in ordinary memory

    healthy = len(kept) == num_batches
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(kept), "shm_mb": shm}))
    sys.exit(0 if healthy else 1)
