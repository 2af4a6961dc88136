"""DP19: code at the top level of the script runs again in each spawned worker.

The training is under the main guard, so nothing raises. The preparation is not, and each worker
repeats it when it imports the script.

Symptom: with 2 workers the preparation runs 3 times
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
    """In real code: read a large table, or put a model on the GPU."""
    with open(runs, "a") as file:
        file.write("prepared in process %d\n" % os.getpid())


prepare()  # BUG: at the top level, so every worker runs it


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
