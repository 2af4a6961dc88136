"""DP19: without a main guard, every spawned DataLoader worker runs the whole script again.

A spawned worker is a new Python. To know the classes of the script it imports the script, as
__mp_main__, with all that stands at its top level. If that starts workers in turn, Python
stops it; the worker dies, and the main process only learns that it has gone.

Symptom: the training is guarded, the preparation is not: it runs 3 times with 2 workers
Needs:   torch; cpu; about 5 s
Run:     python broken_runs_again.py; python fixed.py
"""
import json
import os
import sys
import tempfile

from torch.utils.data import DataLoader, Dataset

runs = os.path.join(tempfile.gettempdir(), "dp19_%d" % os.getpid())
runs = os.environ.setdefault("DP19_RUNS", runs)  # the workers inherit it


def prepare():
    """Stands for reading a large table, or for a model on its way to the GPU."""
    with open(runs, "a") as file:
        file.write("prepared in process %d\n" % os.getpid())


prepare()  # BUG: at the top level, so every worker does it, too


class Numbers(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return index


if __name__ == "__main__":
    loader = DataLoader(Numbers(), batch_size=4, num_workers=2, multiprocessing_context="spawn")
    total = sum(int(batch.sum()) for batch in loader)
    with open(runs) as file:
        prepared = len(file.readlines())
    os.remove(runs)

    healthy = total == sum(range(8)) and prepared == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "total": total, "times_prepared": prepared}))
    sys.exit(0 if healthy else 1)
