"""Q6: --tee and --log_dir keep the output of each rank in a separate file.

Nothing in the training script changes. The terminal still shows everything, and the errors of the
ranks can be read one by one. The error that is not about a lost peer is the cause.

Symptom: none: stderr.log of rank 1 has its ValueError
Needs:   torch; cpu, linux; about 12 s
Run:     python fix_log_per_rank.py
"""
import json
import socket
import subprocess
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist

try:
    import torch.distributed.run  # noqa: F401
except ImportError:
    print("SKIPPED torch.distributed.run is not installed")
    sys.exit(77)


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=20))
    total = torch.ones(2)
    for step in range(3):
        if dist.get_rank() == 1 and step == 1:
            raise ValueError("bad sample 7")
        dist.all_reduce(total)


# What torchrun starts for each rank: this file without its last block, and then main().
rank = "import runpy, sys; runpy.run_path(sys.argv[1])['main']()"


if __name__ == "__main__":
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with tempfile.TemporaryDirectory() as logs:
        subprocess.run([sys.executable, "-m", "torch.distributed.run", "--nproc_per_node=2",
                        f"--master_port={port}",
                        "--tee=3", f"--log_dir={logs}",  # FIX: both streams, and to files too
                        "--no_python", sys.executable, "-c", rank, __file__],
                       stderr=subprocess.DEVNULL)
        [log] = Path(logs).glob("*/attempt_0/1/stderr.log")
        [error] = [line for line in log.read_text().splitlines() if "Error: " in line]

    healthy = error.endswith("ValueError: bad sample 7")
    print("OBSERVED", json.dumps({"healthy": healthy, "error_of_rank_1": error}))
    sys.exit(0 if healthy else 1)
