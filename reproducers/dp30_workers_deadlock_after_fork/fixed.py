"""DP30: a worker with a single thread needs no OpenMP threads.

With one thread torch runs the operation in the worker itself. DataLoader sets this number in every
worker; other libraries have a setting of their own.

Symptom: none: all batches arrive
Needs:   torch; cpu, linux; about 4 s
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
    torch.set_num_threads(1)  # FIX: also cv2.setNumThreads(0) and the like


if __name__ == "__main__":
    torch.set_num_threads(2)  # the default on a machine with 2 cores
    scale = float(brighten(0.0).mean())  # starts OpenMP threads
    loader = DataLoader(Images(), batch_size=batch_size, num_workers=1, timeout=5,
                        multiprocessing_context="fork", worker_init_fn=use_threads)
    total = sum(float(batch.sum()) for batch in loader)

    healthy = total == num_samples * scale == 8
    print("OBSERVED", json.dumps({"healthy": healthy, "total": total}))
    sys.exit(0 if healthy else 1)
