"""DP6: functools.partial of a top-level function carries its settings to the worker.

A partial is pickled as the function's name and its arguments. The function must be at the top level
of a module.

Symptom: none: the batch is [10, 11]
Needs:   torch; cpu; about 8 s
Run:     python broken.py; python fix_partial.py
"""
import json
import sys
from functools import partial

import torch
from torch.utils.data import DataLoader, Dataset


class Photos(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return torch.tensor(float(index))


def brighter(samples, by):
    return torch.stack(samples) + by


def main():
    loader = DataLoader(Photos(), batch_size=2, num_workers=1, multiprocessing_context="spawn",
                        collate_fn=partial(brighter, by=10))  # FIX: a partial of a top-level def
    return [batch.tolist() for batch in loader]


if __name__ == "__main__":
    batches = main()

    healthy = batches == [[10.0, 11.0]]
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": batches}))
    sys.exit(0 if healthy else 1)
