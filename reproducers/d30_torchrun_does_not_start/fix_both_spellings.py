"""D30: the training script takes both spellings of the argument, and the environment.

torch.distributed.launch passes --local_rank up to torch 1.13 and --local-rank from 2.0 on. torchrun
passes nothing and sets LOCAL_RANK, so the default comes from there.

Symptom: none: under both launchers the two ranks have the local ranks 0 and 1
Needs:   torch; cpu, linux; about 6 s
Run:     python fix_both_spellings.py
"""
import json
import re
import socket
import subprocess
import sys
import tempfile

launcher = "torch.distributed.launch"
spellings = ["--local_rank", "--local-rank"]  # FIX: both
train = """
import argparse
import os
parser = argparse.ArgumentParser(prog="train.py")
parser.add_argument(*%s, type=int,
                    default=int(os.environ.get("LOCAL_RANK", 0)))
local_rank = parser.parse_args().local_rank
print("local rank %%d\\n" %% local_rank, end="")
"""

if __name__ == "__main__":
    with socket.socket() as unused, tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        unused.close()
        script.write(train % spellings)
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
