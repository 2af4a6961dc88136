"""DP19: neither freeze_support() nor forkserver replaces the main guard.

freeze_support() has no effect outside a frozen program. For forkserver workers the script is
imported too, as for spawned ones.

Symptom: freeze_support() is called, the start method is forkserver, and the error stays
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


freeze_support()  # BUG: has no effect outside a frozen program
loader = DataLoader(Numbers(), batch_size=4, num_workers=1, multiprocessing_context="forkserver")
total = sum(int(batch.sum()) for batch in loader)

healthy = total == sum(range(8))
print("OBSERVED", json.dumps({"healthy": healthy, "total": total}))
sys.exit(0 if healthy else 1)
