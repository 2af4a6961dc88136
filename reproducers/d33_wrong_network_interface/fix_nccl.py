"""D33: without NCCL_SOCKET_IFNAME, NCCL chooses an interface of this machine itself.

It takes the first one that is neither lo nor that of docker, and lo if there is no other.

Symptom: none: the all_reduce gives a result
Needs:   torch; cuda; about 5 s
Run:     python fix_nccl.py
"""
import json
import os
import sys

import torch
import torch.distributed as dist

if __name__ == "__main__":
    os.environ.pop("NCCL_SOCKET_IFNAME", None)  # FIX: NCCL finds one itself
    dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
    ones = torch.ones(1, device="cuda")
    dist.all_reduce(ones)
    world_size = dist.get_world_size()
    dist.destroy_process_group()

    healthy = ones.item() == world_size == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "sum": ones.item()}))
    sys.exit(0 if healthy else 1)
