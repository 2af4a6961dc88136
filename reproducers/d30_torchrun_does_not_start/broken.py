"""D30: the launcher passes an argument that the training script does not know.

torch.distributed.launch starts the script with --local_rank=0 up to torch 1.13, and with
--local-rank=0 from 2.0 on. A script with the old spelling refuses the new one, so every rank ends
before it does anything.

Symptom: error: unrecognized arguments: --local-rank=0
Needs:   torch; cpu, linux; about 6 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import re
import socket
import subprocess
import sys
import tempfile

launcher = "torch.distributed.launch"  # BUG: passes the rank as an argument
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
