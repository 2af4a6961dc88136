"""DP6: a forked worker needs no pickle, and a lambda works.

Pickling happens only on the way to a worker that is not forked. Without workers, and with forked
workers, neither dataset nor functions are pickled.

Symptom: none: the batch is [10, 11]
Needs:   torch; cpu, linux; about 3 s
Run:     python fix_fork.py
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


def main():
    loader = DataLoader(Photos(), batch_size=2, num_workers=1,
                        multiprocessing_context="fork",  # FIX: a fork, no pickle
                        collate_fn=lambda samples: torch.stack(samples) + 10)
    return [batch.tolist() for batch in loader]


if __name__ == "__main__":
    batches = main()

    healthy = batches == [[10.0, 11.0]]
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": batches}))
    sys.exit(0 if healthy else 1)
