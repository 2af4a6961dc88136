"""D33: NCCL_SOCKET_IFNAME names a network interface that this machine does not have.

NCCL needs an interface also when all ranks are on one machine.

Symptom: ncclInvalidUsage, and then: Bootstrap : no socket interface found
Needs:   torch; cuda; about 5 s
Run:     python broken_nccl.py; python fix_nccl.py
"""
import json
import os
import sys

import torch
import torch.distributed as dist

if __name__ == "__main__":
    os.environ["NCCL_SOCKET_IFNAME"] = "eth77"  # BUG: copied from another machine
    dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
    ones = torch.ones(1, device="cuda")
    dist.all_reduce(ones)
    world_size = dist.get_world_size()
    dist.destroy_process_group()

    healthy = ones.item() == world_size == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "sum": ones.item()}))
    sys.exit(0 if healthy else 1)
