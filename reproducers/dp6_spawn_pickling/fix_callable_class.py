"""DP6: an object of a top-level class with __call__ carries its settings along.

The object is pickled as the name of its class and its attributes. The class must be at the top
level of a module.

Symptom: none: the batch is [10, 11]
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
