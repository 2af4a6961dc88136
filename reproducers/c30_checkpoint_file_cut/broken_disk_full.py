"""C30: torch.save() on a full disk ends with `unexpected pos`.

When a write fails, torch.save() tries to finish the file and fails again. The first error says
what happened; the last one, `unexpected pos`, only says that the file is shorter than it should be.

Symptom: RuntimeError: [enforce fail at inline_container.cc:...] . unexpected pos 704 vs 662
Needs:   torch; cpu, linux; about 2 s
Run:     python broken_disk_full.py
"""
import json
import os
import sys
import tempfile

import torch


if not sys.platform.startswith("linux"):
    print("SKIPPED a full disk is played as on Linux")
    sys.exit(77)
if torch.__version__.startswith("1."):
    print("SKIPPED torch 1 aborts here, see broken_abort.py")
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
