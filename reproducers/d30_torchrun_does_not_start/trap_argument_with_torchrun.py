"""D30: with torchrun an argument --local_rank keeps its default, so every rank takes device 0.

torchrun passes no argument, so the parser finds nothing to complain about. Each rank reads the
default. On a machine with GPUs all ranks would then use GPU 0.

Symptom: nothing fails, and both ranks have local rank 0
Needs:   torch; cpu, linux; about 6 s
Run:     python trap_argument_with_torchrun.py
"""
import json
import re
import socket
import subprocess
import sys
import tempfile

try:
    import torch.distributed.run  # from torch 1.9 on
except ImportError:
    print("SKIPPED torch.distributed.run is not installed")
    sys.exit(77)

launcher = "torch.distributed.run"  # BUG: passes no --local_rank
train = """
import argparse
parser = argparse.ArgumentParser(prog="train.py")
parser.add_argument("--local_rank", type=int, default=0)
local_rank = parser.parse_args().local_rank
print("local rank %d\\n" % local_rank, end="")
"""

if __name__ == "__main__":
    with socket.socket() as unused, tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        unused.close()
        script.write(train)
        script.flush()
        done = subprocess.run([sys.executable, "-m", launcher, "--nproc_per_node=2",
                               f"--master_port={port}", script.name],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")

    said = re.findall(r".*error: .*", done.stderr)
    assert not said, said[0]
    local_ranks = sorted(map(int, re.findall(r"local rank (\d)", done.stdout)))
    healthy = local_ranks == [0, 1]
    print("OBSERVED", json.dumps({"healthy": healthy, "local_ranks": local_ranks}))
    sys.exit(0 if healthy else 1)
