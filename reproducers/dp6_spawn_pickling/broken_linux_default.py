"""DP6: on Linux, Python 3.14 no longer forks, and a lambda in main() fails.

Without multiprocessing_context, workers are forked on Linux up to Python 3.13 and started by
forkserver from Python 3.14 on. A forked worker inherits the memory of the training process, and
nothing is pickled.

Symptom: PicklingError: Can't pickle local object <function main.<locals>.<lambda> (Python 3.14)
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
    loader = DataLoader(Photos(), batch_size=2, num_workers=1,  # BUG: relies on fork
                        collate_fn=lambda samples: torch.stack(samples) + 10)
    return [batch.tolist() for batch in loader]


if __name__ == "__main__":
    batches = main()

    healthy = batches == [[10.0, 11.0]]
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": batches}))
    sys.exit(0 if healthy else 1)
