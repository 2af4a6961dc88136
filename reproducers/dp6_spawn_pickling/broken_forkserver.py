"""DP6: a lambda at the top level of a module cannot be pickled either.

A spawned worker is a new interpreter. It gets dataset, collate_fn and worker_init_fn as a pickle,
and pickle stores functions and classes as a name to import. A lambda, a function inside a
function and a class inside a function have no such name.

Symptom: PicklingError: Can't pickle <function <lambda> at 0x...>
Needs:   torch; cpu, linux; about 5 s
Run:     python broken_forkserver.py; python fix_callable_class.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

settings = {"batch_size": 2, "num_workers": 1, "multiprocessing_context": "forkserver",
            "collate_fn": lambda samples: torch.stack(samples) + 10}  # BUG: its name is <lambda>


class Photos(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return torch.tensor(float(index))


if __name__ == "__main__":
    loader = DataLoader(Photos(), **settings)
    batches = [batch.tolist() for batch in loader]

    healthy = batches == [[10.0, 11.0]]
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": batches}))
    sys.exit(0 if healthy else 1)
