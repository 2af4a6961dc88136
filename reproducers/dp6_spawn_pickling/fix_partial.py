"""DP6: a DataLoader worker is a new process: it gets what can be pickled, and nothing else.

Under spawn and forkserver a worker imports the script again and receives dataset, collate_fn and
worker_init_fn as a pickle. A function or class that lives inside another function cannot be
pickled, and what main() set on a module or a class is not part of the pickle.

Symptom: a collate_fn that needs a setting, without a lambda
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
