"""DP30: the stack of the worker shows the line at which it waits.

faulthandler writes the stack of the worker to a file if it is still there after some seconds. The
innermost line is where it waits; the traceback of the main process does not show it.

Symptom: none: the stack of the stuck worker begins in brighten()
Needs:   torch; cpu, linux; about 8 s
Run:     python fix_find_the_line.py
"""
import faulthandler
import json
import re
import sys
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset

num_samples, batch_size = 8, 2


def brighten(value):
    return torch.full((600, 600), value).exp()  # torch uses OpenMP threads for tensors of this size


class Images(Dataset):
    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        return brighten(0.0).mean()


def use_threads(worker_id):
    torch.set_num_threads(2)  # the bug to find
    faulthandler.dump_traceback_later(2, file=log)  # FIX: in the worker, after 2 seconds


if __name__ == "__main__":
    torch.set_num_threads(2)  # the default on a machine with 2 cores
    scale = float(brighten(0.0).mean())  # starts OpenMP threads
    log = tempfile.TemporaryFile("w+")
    loader = DataLoader(Images(), batch_size, num_workers=1, timeout=5,  # dpkb: ignore[DP30]
                        multiprocessing_context="fork", worker_init_fn=use_threads)
    error = ""
    try:
        total = sum(float(batch.sum()) for batch in loader)
    except RuntimeError as timed_out:
        error = str(timed_out)
    log.seek(0)
    waits_in = re.findall(r"in (\w+)", log.read())[:2]

    healthy = waits_in == ["brighten", "__getitem__"] and "timed out" in error
    print("OBSERVED", json.dumps({"healthy": healthy, "waits_in": waits_in, "error": error}))
    sys.exit(0 if healthy else 1)
