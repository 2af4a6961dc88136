"""DP15: a memory-mapped file that is too short gives the same Bus error, with an empty /dev/shm.

A worker that reads a mapped page beyond the end of its file gets the signal SIGBUS. Torch prints
the same guess about shared memory for every SIGBUS in a worker. lmdb and np.memmap map files.

Symptom: "insufficient shared memory (shm)" on a machine whose /dev/shm is nearly empty
Needs:   torch, numpy; cpu, linux; about 4 s
Run:     python broken_truncated_file.py
"""
import json
import os
import sys
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

num_samples = 64


class Features(Dataset):
    def __init__(self, path):
        self.features = np.load(path, mmap_mode="r")

    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        return torch.from_numpy(self.features[index].copy())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "features.npy")
        np.save(path, np.ones((num_samples, 4096), dtype=np.float32))
        dataset = Features(path)
        os.truncate(path, 100000)  # BUG: the file was shortened, or copied only in part

        total = sum(int(batch.sum()) for batch in DataLoader(dataset, batch_size=8, num_workers=1))

    healthy = total == num_samples * 4096
    print("OBSERVED", json.dumps({"healthy": healthy, "total": total}))
    sys.exit(0 if healthy else 1)
