"""DP15: share_memory() of a model that is larger than /dev/shm ends the process.

share_memory() copies every parameter into /dev/shm. Before torch 2.10 the process gets SIGBUS
while it writes, without a traceback.

Symptom: before 2.10 the process is gone without a traceback, later a RuntimeError
Needs:   torch; cpu, linux, 4 MB /dev/shm; about 5 s
Run:     python broken_share_memory.py
"""
import json
import os
import shutil
import subprocess
import sys

import torch


def train():
    model = torch.nn.Linear(1024, 2048)  # 8 MB
    model.share_memory()  # BUG: into a /dev/shm of 4 MB


if __name__ == "__main__":
    shm = shutil.disk_usage("/dev/shm").total >> 20 if os.path.isdir("/dev/shm") else 0
    if not 1 <= shm <= 8:
        print(f"SKIPPED /dev/shm is {shm} MB, this needs 4 MB")
        sys.exit(77)

    if "train" in sys.argv:
        train()
        sys.exit(0)

    run = subprocess.run([sys.executable, __file__, "train"], stderr=subprocess.PIPE)
    last_line = (run.stderr.decode().strip().splitlines() or [""])[-1]

    healthy = run.returncode == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "exit_code": run.returncode,
                                  "last_line_of_stderr": last_line[:75]}))
    sys.exit(0 if healthy else 1)
