"""DP6: a DataLoader worker is a new process: it gets what can be pickled, and nothing else.

Under spawn and forkserver a worker imports the script again and receives dataset, collate_fn and
worker_init_fn as a pickle. A function or class that lives inside another function cannot be
pickled, and what main() set on a module or a class is not part of the pickle.

Symptom: on Linux, after an upgrade to Python 3.14, no start method named:
         Can't pickle local object <function main.<locals>.<lambda> ...>
Needs:   torch; cpu, linux; about 4 s
Run:     python broken_linux_default.py; python fixed.py
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
    loader = DataLoader(Photos(), batch_size=2, num_workers=1,  # BUG: taken to fork, as Linux did
                        collate_fn=lambda samples: torch.stack(samples) + 10)
    return [batch.tolist() for batch in loader]


if __name__ == "__main__":
    batches = main()

    healthy = batches == [[10.0, 11.0]]
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": batches}))
    sys.exit(0 if healthy else 1)
