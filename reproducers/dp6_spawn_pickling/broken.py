"""DP6: a lambda as collate_fn, defined in main(), cannot be sent to a spawned worker.

A spawned worker is a new interpreter. It gets dataset, collate_fn and worker_init_fn as a pickle,
and pickle stores functions and classes as a name to import. A lambda, a function inside a
function and a class inside a function have no such name.

Symptom: AttributeError: Can't pickle local object 'main.<locals>.<lambda>' (different on
         Python 3.13 and 3.14)
Needs:   torch; cpu; about 6 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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
    dataset = Photos()
    loader = DataLoader(dataset, batch_size=2, num_workers=1, multiprocessing_context="spawn",
                        collate_fn=lambda samples: torch.stack(samples) + 10)  # BUG: local
    return [batch.tolist() for batch in loader]


if __name__ == "__main__":
    batches = main()

    healthy = batches == [[10.0, 11.0]]
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": batches}))
    sys.exit(0 if healthy else 1)
