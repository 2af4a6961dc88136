"""DP19: without a main guard, every spawned DataLoader worker runs the whole script again.

A spawned worker is a new Python. To know the classes of the script it imports the script, as
__mp_main__, with all that stands at its top level. If that starts workers in turn, Python
stops it; the worker dies, and the main process only learns that it has gone.

Symptom: the dataset class stands under the guard as well, and the worker does not find it
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
