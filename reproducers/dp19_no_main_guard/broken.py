"""DP19: without a main guard, every spawned DataLoader worker runs the whole script again.

A spawned worker is a new Python process. To get the classes of the script it imports the script,
as __mp_main__, and that runs everything at the top level. If this starts workers again, Python
stops it, and the worker dies.

Symptom: a worker exits unexpectedly before the first batch
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


loader = DataLoader(Numbers(), batch_size=4, num_workers=1, multiprocessing_context="spawn")
total = sum(int(batch.sum()) for batch in loader)  # BUG: runs in the worker as well

healthy = total == sum(range(8))
print("OBSERVED", json.dumps({"healthy": healthy, "total": total}))
sys.exit(0 if healthy else 1)
