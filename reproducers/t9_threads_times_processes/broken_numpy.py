"""T9: numpy in a DataLoader worker computes with a thread for each core.

The DataLoader sets torch to one thread in each worker. It does not know the threads of the BLAS
that numpy uses.

Symptom: no error: each worker has a thread for each core, although torch says 1
Needs:   torch, numpy; cpu, linux; about 6 s
Run:     python broken_numpy.py
"""
import json
import os
import sys

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

num_workers = 2
if not os.path.isdir("/proc/self/task"):
    print("SKIPPED this system does not list the threads of a process")
    sys.exit(77)
if len(os.sched_getaffinity(0)) < 2:
    print("SKIPPED there is one core")
    sys.exit(77)


class Signals(Dataset):
    def __len__(self):
        return num_workers

    def __getitem__(self, index):
        mixing = np.random.default_rng(index).random((600, 600))
        signal = torch.from_numpy(mixing @ mixing)
        return signal.sum(), torch.get_num_threads(), len(os.listdir("/proc/self/task"))


if __name__ == "__main__":
    loader = DataLoader(Signals(), batch_size=None, num_workers=num_workers,
                        multiprocessing_context="spawn")  # BUG: BLAS has a thread for each core
    samples = list(loader)  # the first sample of each worker
    of_torch, of_process = (sorted(int(sample[i]) for sample in samples) for i in (1, 2))

    healthy = len(samples) == num_workers and of_process == [1] * num_workers
    print("OBSERVED", json.dumps({"healthy": healthy, "torch_threads_by_worker": of_torch,
                                  "threads_by_worker": of_process}))
    sys.exit(0 if healthy else 1)
