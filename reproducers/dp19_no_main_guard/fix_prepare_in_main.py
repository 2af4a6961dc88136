"""DP19: with the preparation under the guard as well, it runs once.

For forkserver workers the script is imported too, as for spawned ones. Only definitions
are left at its top level.

Symptom: none: the preparation runs once, and forkserver workers load the data
Needs:   torch; cpu, linux; about 5 s
Run:     python fix_prepare_in_main.py; python broken_runs_again.py
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


class Numbers(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return index


if __name__ == "__main__":
    prepare()  # FIX: only definitions are at the top level
    loader = DataLoader(Numbers(), batch_size=4, num_workers=2,
                        multiprocessing_context="forkserver")
    total = sum(int(batch.sum()) for batch in loader)
    with open(runs) as file:
        prepared = len(file.readlines())
    os.remove(runs)

    healthy = total == sum(range(8)) and prepared == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "total": total, "times_prepared": prepared}))
    sys.exit(0 if healthy else 1)
