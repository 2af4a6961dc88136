"""DP15: /dev/shm is full, and the loop waits for a batch that never comes.

collate_fn builds the batch in ordinary memory. A thread of the worker moves it to /dev/shm when it
sends it. If that fails, the thread prints the error and drops the batch; the worker lives on.

Symptom: training stops without an exception; far above, a traceback that ends in _share_fd_cpu_
Needs:   torch; cpu, linux, 4 MB /dev/shm; about 20 s
Run:     python broken_freeze.py; python fixed.py
"""
import faulthandler
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
    if int(torch.__version__.split(".")[0]) * 100 + int(torch.__version__.split(".")[1]) < 210:
        print("SKIPPED before torch 2.10 a worker can also die of a bus error")
        sys.exit(77)

    faulthandler.dump_traceback_later(20, exit=True)
    # BUG: 4 x 2 batches of 0.75 MB, and the one in use, do not fit into 4 MB
    loader = DataLoader(Images(), batch_size=4, num_workers=4, prefetch_factor=2,
                        collate_fn=torch.stack)

    sums = []
    for images in loader:
        sums.append(images.sum().item())
        time.sleep(0.1)  # the training step: meanwhile the workers fill their queue

    healthy = sums == [4 * 3 * 128 * 128] * num_batches
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(sums), "shm_mb": shm}))
    sys.exit(0 if healthy else 1)
