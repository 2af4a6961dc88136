"""Q4: a worker crashes, and faulthandler in the main process does not show where.

A worker that is killed by a signal leaves no traceback. `python -X faulthandler`, or
faulthandler.enable() at the top of the script, has no effect in it: each worker installs torch's
own handler for this signal.

Symptom: "DataLoader worker (pid …) is killed by signal: Segmentation fault", and an empty log
Needs:   torch; cpu, linux; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import ctypes
import faulthandler
import json
import re
import sys
import tempfile

from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return decode(index)


def decode(index):
    return ctypes.string_at(0) if index == 5 else index  # a C library trips over one file


if __name__ == "__main__":
    dataset = Images()
    with tempfile.NamedTemporaryFile("w") as log:
        faulthandler.enable(log)  # BUG: the worker replaces this handler by one of its own
        loader = DataLoader(dataset, num_workers=1,
                            collate_fn=list,
                            multiprocessing_context="fork")
        try:
            for batch in loader:
                print(batch)
        except RuntimeError as caught:
            error = str(caught)
        crashed_in = re.findall(r"Current thread.*\n.*\n.* in (\w+)", open(log.name).read())

    healthy = "DataLoader worker (pid" in error and crashed_in == ["decode"]
    print("OBSERVED", json.dumps({"healthy": healthy, "crashed_in": crashed_in}))
    sys.exit(0 if healthy else 1)
