"""DP30: a spawned worker is a new process and starts its own OpenMP threads.

spawn starts a new interpreter, which imports torch and receives the dataset as a pickle. Nothing
of the threads and locks of the main process is in it.

Symptom: none: all batches arrive, with 2 threads in the worker
Needs:   torch; cpu, linux; about 8 s
Run:     python fix_spawn.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

num_samples, batch_size = 8, 2


def brighten(value):
    return torch.full((600, 600), value).exp()  # torch uses OpenMP threads for tensors of this size


class Images(Dataset):
    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        return brighten(0.0).mean()


def use_threads(worker_id):
    torch.set_num_threads(2)


if __name__ == "__main__":
    torch.set_num_threads(2)  # the default on a machine with 2 cores
    scale = float(brighten(0.0).mean())  # starts OpenMP threads
    loader = DataLoader(Images(), batch_size=batch_size, num_workers=1, timeout=60,
                        multiprocessing_context="spawn",  # FIX: no copy of this process
                        worker_init_fn=use_threads)
    total = sum(float(batch.sum()) for batch in loader)

    healthy = total == num_samples * scale == 8
    print("OBSERVED", json.dumps({"healthy": healthy, "total": total}))
    sys.exit(0 if healthy else 1)
