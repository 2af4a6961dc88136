"""DP15: if another program has filled /dev/shm, no DataLoader worker can start.

A worker needs queues, queues need semaphores, and semaphores are files in /dev/shm.

Symptom: OSError: [Errno 28] No space left on device, although the disk is not full
Needs:   torch; cpu, linux, 4 MB /dev/shm; about 5 s
Run:     python broken_full_before_start.py
"""
import json
import os
import shutil
import sys
import tempfile

import torch
from torch.utils.data import DataLoader, TensorDataset

if __name__ == "__main__":
    shm = shutil.disk_usage("/dev/shm").total >> 20 if os.path.isdir("/dev/shm") else 0
    if not 1 <= shm <= 8:
        print(f"SKIPPED /dev/shm is {shm} MB, this needs 4 MB")
        sys.exit(77)

    with tempfile.NamedTemporaryFile(dir="/dev/shm") as of_another_program:
        free = shutil.disk_usage("/dev/shm").free
        os.posix_fallocate(of_another_program.fileno(), 0, free)

        # BUG: a worker needs queues, queues need semaphores, and these are in /dev/shm
        batches = list(DataLoader(TensorDataset(torch.arange(2.0)), num_workers=1))

    healthy = len(batches) == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(batches)}))
    sys.exit(0 if healthy else 1)
