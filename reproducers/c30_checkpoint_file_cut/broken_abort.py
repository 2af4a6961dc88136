"""C30: with torch 1, torch.save() on a full disk aborts the whole process.

When a write fails, torch.save() tries to finish the file and fails again. The first error says
what happened; the last one, `unexpected pos`, only says that the file is shorter than it should be.

Symptom: terminate called after throwing an instance of 'c10::Error'
Needs:   torch; cpu, linux; about 2 s
Run:     python broken_abort.py
"""
import json
import os
import sys
import tempfile

import torch


if not sys.platform.startswith("linux"):
    print("SKIPPED a full disk is played as on Linux")
    sys.exit(77)
if not torch.__version__.startswith("1."):
    print("SKIPPED torch 2 raises here, see broken_disk_full.py")
    sys.exit(77)
import resource


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        state = torch.nn.Linear(512, 512).state_dict()  # 1 MiB
        path = os.path.join(folder, "last.pt")
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**18, 2**18))  # like a disk with 256 KiB left
        torch.save(state, path)  # BUG: the free space was not checked
        loaded = torch.load(path)

    healthy = set(loaded) == set(state)
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
