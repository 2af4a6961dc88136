"""Q6: @record has nothing to write when the script catches its own error and exits.

A try/except around the training logs the error and exits with code 1. @record does not write
a SystemExit to its file, so the summary of torchrun is as empty as without @record.

Symptom: error_file: <N/A>, although main() has @record
Needs:   torch; cpu, linux; about 6 s
Run:     python trap_exit_in_handler.py
"""
import json
import socket
import subprocess
import sys

try:
    import torch.distributed.run  # noqa: F401
except ImportError:
    print("SKIPPED torch.distributed.run is not installed")
    sys.exit(77)


train = (
    "from torch.distributed.elastic.multiprocessing.errors import record\n"
    "@record\n"
    "def main():\n"
    "    try:\n"
    "        raise ValueError('bad sample 7')\n"
    "    except ValueError as error:\n"
    "        print('training failed:', error)\n"
    "        raise SystemExit(1)\n"  # BUG: no error leaves main(); raise it again instead
    "main()\n"
)


if __name__ == "__main__":
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    done = subprocess.run([sys.executable, "-m", "torch.distributed.run", "--nproc_per_node=1",
                           f"--master_port={port}", "--no_python",
                           sys.executable, "-c", train],
                          stderr=subprocess.PIPE, encoding="utf-8")
    print(done.stderr)

    summary = done.stderr.split("Root Cause (first observed failure):")[1]
    healthy = "ValueError: bad sample 7" in summary
    print("OBSERVED", json.dumps({"healthy": healthy, "error_file": "<N/A>" not in summary}))
    sys.exit(0 if healthy else 1)
