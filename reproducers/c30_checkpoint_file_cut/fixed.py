"""C30: the job is killed while it writes, and the resume reads the checkpoint before that one.

The checkpoint is written under a temporary name. os.replace() gives it its name once it is
complete, in one step: a reader of that name sees the old file or the new one, not a part.

Symptom: none: training goes on from step 1
Needs:   torch; cpu, linux; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import os
import signal
import sys
import tempfile

import torch

if not sys.platform.startswith("linux"):
    print("SKIPPED the kill in the middle of a write is done as on Linux")
    sys.exit(77)
import resource


def killed_in_the_next_write():
    """The next file of this process that grows beyond 256 KiB kills it, as a job limit would."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**18, 2**18))


def save(state, path):
    with open(path + ".tmp", "wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())  # on the disk, before the name changes
    os.replace(path + ".tmp", path)


def train(path):
    model = torch.nn.Linear(512, 512)  # 1 MiB
    for step in (1, 2):
        if step == 2:
            killed_in_the_next_write()
        state = {"model": model.state_dict(), "step": step}
        save(state, path)  # FIX: the old file stays until the new one is complete


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "last.pt")
        job = torch.multiprocessing.get_context("fork").Process(target=train, args=(path,))
        job.start()
        job.join()
        resumed_step = torch.load(path, map_location="cpu")["step"]

    killed = job.exitcode == -signal.SIGXFSZ
    healthy = killed and resumed_step == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "killed": killed,
                                  "resumed_step": resumed_step}))
    sys.exit(0 if healthy else 1)
