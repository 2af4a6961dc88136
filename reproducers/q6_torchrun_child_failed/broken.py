"""Q6: torchrun ends with ChildFailedError, and its summary does not contain the error.

Rank 1 raises a ValueError, and rank 0 fails after it, because its peer has gone. torchrun knows
only how the processes ended. Its summary has exit codes, "error_file: <N/A>" and no error.

Symptom: ChildFailedError; traceback : To enable traceback see: https://pytorch.org/docs/...
Needs:   torch; cpu, linux; about 8 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import socket
import subprocess
import sys

import torch
import torch.distributed as dist

try:
    from torch.distributed.elastic.multiprocessing.errors import record
except ImportError:
    print("SKIPPED torch.distributed.elastic is not installed")
    sys.exit(77)


def main():  # BUG: an error that leaves it is printed by its rank only
    dist.init_process_group("gloo")
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
    done = subprocess.run([sys.executable, "-m", "torch.distributed.run", "--nproc_per_node=2",
                           f"--master_port={port}", "--no_python",
                           sys.executable, "-c", rank, __file__],
                          stderr=subprocess.PIPE, encoding="utf-8")
    print(done.stderr)

    summary = done.stderr[done.stderr.index("ChildFailedError:"):]
    healthy = "ValueError: bad sample 7" in summary
    print("OBSERVED", json.dumps({"healthy": healthy, "without_error_file": "<N/A>" in summary}))
    sys.exit(0 if healthy else 1)
