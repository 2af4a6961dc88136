"""Q6: the "root cause" of torchrun is a rank that failed because of another one.

Rank 1 raises an error, and rank 0 fails after it, because its peer has gone. torchrun looks at the
processes at intervals: every 5 seconds up to torch 2.0, here every 2. If both have ended by then,
it names the lower rank. Here torchrun is paused until both have ended, so this happens in each run.

Symptom: Root Cause (first observed failure): rank 0, but it is rank 1 that raised a ValueError
Needs:   torch; cpu, linux; about 8 s
Run:     python broken_first_observed.py
"""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist

try:
    import torch.distributed.run  # noqa: F401
except ImportError:
    print("SKIPPED torch.distributed.run is not installed")
    sys.exit(77)


def main(folder):  # BUG: no @record, so torchrun has only the order in which it looks
    dist.init_process_group("gloo", timeout=timedelta(seconds=20))
    Path(folder, str(os.getpid())).touch()
    dist.barrier()
    if dist.get_rank() == 1:
        os.kill(os.getppid(), signal.SIGSTOP)  # torchrun does not look now
        raise ValueError("bad sample 7")
    dist.all_reduce(torch.ones(2))


def has_ended(pid):
    state = Path(f"/proc/{pid}/stat").read_text().split(")")[-1].split()[0]
    return state == "Z" and len(os.listdir(f"/proc/{pid}/task")) == 1  # its threads too


# What torchrun starts for each rank: this file without its last block, and then main(folder).
rank = "import runpy, sys; runpy.run_path(sys.argv[1])['main'](sys.argv[2])"


if __name__ == "__main__":
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as errors:
        torchrun = subprocess.Popen([sys.executable, "-m", "torch.distributed.run",
                                     "--nproc_per_node=2", f"--master_port={port}",
                                     "--monitor_interval=2", "--no_python",
                                     sys.executable, "-c", rank, __file__, folder], stderr=errors)
        while len(os.listdir(folder)) < 2 or not all(map(has_ended, os.listdir(folder))):
            time.sleep(0.05)
        torchrun.send_signal(signal.SIGCONT)
        torchrun.wait()
        errors.seek(0)
        root_cause = errors.read().split("Root Cause (first observed failure):")[1]

    root_rank = int(re.search(r"rank +: (\d+)", root_cause).group(1))
    healthy = root_rank == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "root_rank": root_rank}))
    sys.exit(0 if healthy else 1)
