"""DP19: under a main guard, spawned workers import the script and run nothing.

In a worker the script is called __mp_main__, so the code under the guard is skipped. The dataset
class is at the top level, where the worker finds it.

Symptom: none: all batches arrive
Needs:   torch; cpu; about 5 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return index


if __name__ == "__main__":  # FIX: not in the worker
    loader = DataLoader(Numbers(), batch_size=4, num_workers=1, multiprocessing_context="spawn")
    total = sum(int(batch.sum()) for batch in loader)

    healthy = total == sum(range(8))
    print("OBSERVED", json.dumps({"healthy": healthy, "total": total}))
    sys.exit(0 if healthy else 1)
