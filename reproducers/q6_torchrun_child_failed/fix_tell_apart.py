"""Q6: the exit code in the summary of torchrun says how a rank ended.

Six jobs of one rank each: one that succeeds, and five that raise, refuse an argument, run out of
memory, crash in C or abort. The exit code of the summary distinguishes them.

Symptom: none: six jobs, six answers
Needs:   torch; cpu, linux; about 15 s
Run:     python fix_tell_apart.py
"""
import ctypes
import json
import os
import re
import signal
import socket
import subprocess
import sys

try:
    import torch.distributed.run  # noqa: F401
except ImportError:
    print("SKIPPED torch.distributed.run is not installed")
    sys.exit(77)


def how_it_ended(summary):  # FIX: read the exit code, not the traceback of torchrun
    """The output of torchrun -> how the rank ended that it saw fail first."""
    root = re.search(r"Root Cause .*?exitcode +: (-?\d+)", summary, re.DOTALL)
    if root is None:
        return "no rank failed"
    code = int(root.group(1))
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exited with {code}"


endings = {"success": lambda: None, "raises": lambda: int("x"),
           "wrong argument": lambda: os._exit(2),  # as argparse does
           "out of memory": lambda: os.kill(os.getpid(), signal.SIGKILL),  # as the kernel does
           "crash in C": lambda: ctypes.string_at(0), "abort": os.abort}
# What torchrun starts: this file without its last block, and then one of the endings.
rank = "import runpy, sys; runpy.run_path(sys.argv[1])['endings'][sys.argv[2]]()"


if __name__ == "__main__":
    jobs = {}
    for ending in endings:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            port = unused.getsockname()[1]
        jobs[ending] = subprocess.Popen(
            [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node=1",
             f"--master_port={port}", "--no_python", sys.executable, "-c", rank, __file__,
             ending],
            stderr=subprocess.PIPE, encoding="utf-8")
    found = {ending: how_it_ended(job.communicate()[1]) for ending, job in jobs.items()}

    healthy = list(found.values()) == [
        "no rank failed", "exited with 1", "exited with 2",
        "killed by SIGKILL", "killed by SIGSEGV", "killed by SIGABRT"]
    print("OBSERVED", json.dumps({"healthy": healthy, "found_by_ending": found}))
    sys.exit(0 if healthy else 1)
