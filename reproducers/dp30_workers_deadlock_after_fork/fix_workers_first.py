"""DP30: workers that are forked before the first OpenMP thread exists can use threads.

iter() starts the workers. With persistent_workers=True they stay, so that later epochs fork no
new ones.

Symptom: none: all batches arrive in both epochs, with 2 threads in the worker
Needs:   torch; cpu, linux; about 4 s
Run:     python fix_workers_first.py
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
    loader = DataLoader(Images(), batch_size=batch_size, num_workers=1, timeout=5,
                        multiprocessing_context="fork", worker_init_fn=use_threads,
                        persistent_workers=True)  # FIX: later epochs keep these workers
    iter(loader)  # FIX: the workers start here, before this process uses OpenMP
    scale = float(brighten(0.0).mean())  # starts OpenMP threads
    totals = [sum(float(batch.sum()) for batch in loader) for epoch in range(2)]

    healthy = totals == [num_samples * scale] * 2
    print("OBSERVED", json.dumps({"healthy": healthy, "total_by_epoch": totals}))
    sys.exit(0 if healthy else 1)
