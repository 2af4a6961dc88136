"""DP6: a function at the top level of the module is pickled by its name.

Pickle stores a function as a name to import. A function at the top level of the module has such a
name.

Symptom: none: the batch is [10, 11]
Needs:   torch; cpu; about 6 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import pickle
import sys

import torch
from torch.utils.data import DataLoader, Dataset


class Photos(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return torch.tensor(float(index))


def brighter(samples):  # FIX: at the top level of the module
    return torch.stack(samples) + 10


def main():
    dataset = Photos()
    loader = DataLoader(dataset, batch_size=2, num_workers=1, multiprocessing_context="spawn",
                        collate_fn=brighter)  # FIX: pickled by name
    for part in (loader.dataset, loader.collate_fn, loader.worker_init_fn):
        pickle.dumps(part)
    return [batch.tolist() for batch in loader]


if __name__ == "__main__":
    batches = main()

    healthy = batches == [[10.0, 11.0]]
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": batches}))
    sys.exit(0 if healthy else 1)
