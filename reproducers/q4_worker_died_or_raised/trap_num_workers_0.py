"""Q4: with num_workers=0 a sample that crashes its process ends the whole training.

num_workers=0 shows the plain traceback of a sample that raises. A sample that crashes in a C
library leaves no traceback there either: the main process dies, and prints nothing.

Symptom: the process ends by signal 11 (exit code 139 in a shell), with an empty stderr
Needs:   torch; cpu, linux; about 3 s
Run:     python trap_num_workers_0.py
"""
import ctypes
import json
import os
import sys

from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return ctypes.string_at(0) if index == 5 else index  # a C library trips over one file


def epoch():
    for batch in DataLoader(Images(), num_workers=0, collate_fn=list):  # BUG: crashes here now
        print(batch)


if __name__ == "__main__":
    process = os.fork()
    if process == 0:
        epoch()
        os._exit(0)
    status = os.waitpid(process, 0)[1]

    healthy = status == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "ended_by_signal": os.WTERMSIG(status)}))
    sys.exit(0 if healthy else 1)
