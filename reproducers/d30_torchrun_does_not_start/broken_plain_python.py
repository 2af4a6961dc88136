"""D30: the script is started with python, so nobody has set RANK.

init_process_group() without rank= and init_method= reads RANK, WORLD_SIZE, MASTER_ADDR and
MASTER_PORT from the environment. torchrun sets them, python does not.

Symptom: ValueError: ... environment variable RANK expected, but not set
Needs:   torch; cpu; about 3 s
Run:     python broken_plain_python.py; python fixed.py
"""
import json
import sys

import torch.distributed as dist

if __name__ == "__main__":
    dist.init_process_group("gloo")  # BUG: only torchrun sets RANK, WORLD_SIZE and MASTER_ADDR

    healthy = dist.get_world_size() > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "world_size": dist.get_world_size()}))
    sys.exit(0 if healthy else 1)
