"""D30: the training script reads LOCAL_RANK from the environment, and torchrun starts it.

torchrun (python -m torch.distributed.run) passes no argument. It sets LOCAL_RANK, RANK and
WORLD_SIZE in the environment of each rank.

Symptom: none: the two ranks have the local ranks 0 and 1
Needs:   torch; cpu, linux; about 6 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import re
import socket
import subprocess
import sys
import tempfile

launcher = "torch.distributed.run"  # FIX: the same as torchrun; sets environment variables
train = (  # FIX: asks the environment, takes no argument
    "import os\n"
    'local_rank = int(os.environ["LOCAL_RANK"])\n'
    'print("local rank %d\\n" % local_rank, end="")\n'
)


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
