"""Q4: one bad sample raises in a worker, and the message names the worker, not the sample.

The worker sends its exception to the main process, which raises it again. The original traceback
is inside the message. Which sample it was is not in it.

Symptom: ValueError: Caught ValueError in DataLoader worker process 0.
Needs:   torch; cpu; about 2 s
Run:     python broken_sample_raises.py; python fix_find_the_sample.py
"""
import json
import sys

from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        if index == 5:
            raise ValueError("cannot identify image file")  # BUG: which of the files?
        return index


if __name__ == "__main__":
    seen = sum(1 for batch in DataLoader(Images(), num_workers=1))

    healthy = seen == 8
    print("OBSERVED", json.dumps({"healthy": healthy, "seen": seen}))
    sys.exit(0 if healthy else 1)
