"""DP15: DataLoader workers die because /dev/shm is full: Bus error, or unable to allocate.

A worker hands each batch over in a piece of /dev/shm, and the piece stays until the main process
lets go of the tensor. Up to num_workers x prefetch_factor batches lie there, and the one in use.
Where they do not fit, torch before 2.10 dies of SIGBUS while it writes; 2.10 and later raise.

Symptom: another program has filled /dev/shm: not even 40 bytes can be shared
Needs:   torch; cpu, linux, 4 MB /dev/shm; about 5 s
Run:     python broken_already_full.py
"""
import json
import os
import shutil
import sys
import tempfile

import torch

if __name__ == "__main__":
    shm = shutil.disk_usage("/dev/shm").total >> 20 if os.path.isdir("/dev/shm") else 0
    if not 1 <= shm <= 8:
        print(f"SKIPPED /dev/shm is {shm} MB, this needs 4 MB")
        sys.exit(77)

    with tempfile.NamedTemporaryFile(dir="/dev/shm") as of_another_program:
        free = shutil.disk_usage("/dev/shm").free
        os.posix_fallocate(of_another_program.fileno(), 0, free)

        counter = torch.zeros(10).share_memory_()  # BUG: no page is left in /dev/shm

    healthy = counter.is_shared()
    print("OBSERVED", json.dumps({"healthy": healthy, "shared": counter.is_shared()}))
    sys.exit(0 if healthy else 1)
