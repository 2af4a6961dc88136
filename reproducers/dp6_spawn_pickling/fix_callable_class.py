"""DP6: a DataLoader worker is a new process: it gets what can be pickled, and nothing else.

Under spawn and forkserver a worker imports the script again and receives dataset, collate_fn and
worker_init_fn as a pickle. A function or class that lives inside another function cannot be
pickled, and what main() set on a module or a class is not part of the pickle.

Symptom: a collate_fn that needs a setting, without a lambda; here under forkserver
Needs:   torch; cpu, linux; about 7 s
Run:     python broken_forkserver.py; python fix_callable_class.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset


class Photos(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return torch.tensor(float(index))


class Brighter:  # FIX: a top-level class; its attributes travel with it
    def __init__(self, by):
        self.by = by

    def __call__(self, samples):
        return torch.stack(samples) + self.by


if __name__ == "__main__":
    loader = DataLoader(Photos(), batch_size=2, num_workers=1,
                        multiprocessing_context="forkserver", collate_fn=Brighter(10))  # FIX
    batches = [batch.tolist() for batch in loader]

    healthy = batches == [[10.0, 11.0]]
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": batches}))
    sys.exit(0 if healthy else 1)
