"""DP19: without a main guard, every spawned DataLoader worker runs the whole script again.

A spawned worker is a new Python. To know the classes of the script it imports the script, as
__mp_main__, with all that stands at its top level. If that starts workers in turn, Python
stops it; the worker dies, and the main process only learns that it has gone.

Symptom: freeze_support() is called, and forkserver in place of spawn, and the message stays
Needs:   torch; cpu, linux; about 5 s
Run:     python trap_freeze_support.py; python fixed.py
"""
import json
import sys
from multiprocessing import freeze_support

from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return index


freeze_support()  # BUG: for frozen Windows programs; elsewhere it does nothing
loader = DataLoader(Numbers(), batch_size=4, num_workers=1, multiprocessing_context="forkserver")
total = sum(int(batch.sum()) for batch in loader)

healthy = total == sum(range(8))
print("OBSERVED", json.dumps({"healthy": healthy, "total": total}))
sys.exit(0 if healthy else 1)
