"""D37: a script for several GPUs that is started with python uses one of them.

The script reads its rank and the number of ranks from variables that a launcher sets. Without
them it is rank 0 of 1, and trains alone on all the data. Processes stand for GPUs here: one each.

Symptom: 1 process, which has all 8 samples
Needs:   torch; cpu, linux; about 10 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

dataset = list(range(8))
train = """
import json, os, sys
rank, world_size = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
share = list(range(8))[rank::world_size]
with open(os.path.join(sys.argv[1], str(os.getpid())), "w") as file:
    json.dump(share, file)
"""

if __name__ == "__main__":
    try:
        import torch.distributed.run  # noqa: F401
    except ImportError:
        print("SKIPPED torch.distributed.run is not installed")
        sys.exit(77)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        launch_command = [sys.executable]  # BUG: python alone starts one process
        subprocess.run([*launch_command, "-c", train, folder], check=True)
        shares = [json.loads(file.read_text()) for file in Path(folder).iterdir()]

    healthy = len(shares) == 2 and sorted(sum(shares, [])) == dataset
    print("OBSERVED", json.dumps({"healthy": healthy, "processes": len(shares),
                                  "samples_by_process": [len(share) for share in shares]}))
    sys.exit(0 if healthy else 1)
