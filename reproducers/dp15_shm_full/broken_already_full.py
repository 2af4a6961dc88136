"""DP15: if another program has filled /dev/shm, not even 40 bytes can be shared.

All programs of a machine or container share one /dev/shm. share_memory_() needs a page of it.

Symptom: "unable to write to file", from torch 2.10 on "unable to allocate shared memory(shm)"
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
