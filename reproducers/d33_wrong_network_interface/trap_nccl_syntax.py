"""D33: GLOO_SOCKET_IFNAME does not accept the pattern that NCCL_SOCKET_IFNAME accepts.

NCCL reads "^lo,docker" as "all interfaces but these". gloo takes it as a list of names, and looks
for an interface that is called "^lo".

Symptom: RuntimeError: [enforce fail at ... device.cc:84] ... Unable to find address for: ^lo
Needs:   torch; cpu, linux; about 2 s
Run:     python trap_nccl_syntax.py
"""
import json
import os
import sys

import torch
import torch.distributed as dist

master = "127.0.0.1"


if __name__ == "__main__":
    os.environ["GLOO_SOCKET_IFNAME"] = "^lo,docker"  # BUG: the syntax of NCCL
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    ones = torch.ones(1)
    dist.all_reduce(ones)
    world_size = dist.get_world_size()
    dist.destroy_process_group()  # or the exit may abort

    healthy = ones.item() == world_size == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "sum": ones.item()}))
    sys.exit(0 if healthy else 1)
