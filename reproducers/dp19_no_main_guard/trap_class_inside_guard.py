"""DP19: a worker does not find a dataset class that is defined under the guard.

The worker imports the script without the code under the guard, so the class does not exist there.

Symptom: AttributeError: the worker's __mp_main__ has no class Numbers
Needs:   torch; cpu; about 5 s
Run:     python trap_class_inside_guard.py; python fixed.py
"""
import json
import sys

from torch.utils.data import DataLoader, Dataset

if __name__ == "__main__":
    class Numbers(Dataset):  # BUG: the worker imports the script without this part
        def __len__(self):
            return 8

        def __getitem__(self, index):
            return index

    loader = DataLoader(Numbers(), batch_size=4, num_workers=1, multiprocessing_context="spawn")
    total = sum(int(batch.sum()) for batch in loader)

    healthy = total == sum(range(8))
    print("OBSERVED", json.dumps({"healthy": healthy, "total": total}))
    sys.exit(0 if healthy else 1)
