"""DP30: a forked worker waits forever for OpenMP threads that only its parent has.

The main process has used OpenMP threads, here for one large tensor. fork() copies the memory of
the process, but not its threads. The worker asks for two threads and waits for the second one.

Symptom: RuntimeError: DataLoader timed out after 5 seconds (without timeout=5 it hangs)
Needs:   torch; cpu, linux; about 14 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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
    torch.set_num_threads(2)  # BUG: a forked worker has no OpenMP threads


if __name__ == "__main__":
    torch.set_num_threads(2)  # the default on a machine with 2 cores
    scale = float(brighten(0.0).mean())  # starts OpenMP threads
    loader = DataLoader(Images(), batch_size=batch_size, num_workers=1, timeout=5,
                        multiprocessing_context="fork", worker_init_fn=use_threads)
    total = sum(float(batch.sum()) for batch in loader)

    healthy = total == num_samples * scale == 8
    print("OBSERVED", json.dumps({"healthy": healthy, "total": total}))
    sys.exit(0 if healthy else 1)
