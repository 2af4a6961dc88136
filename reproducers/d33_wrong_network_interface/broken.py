"""D33: GLOO_SOCKET_IFNAME names a network interface that this machine does not have.

The name was right on another machine: interfaces are called eth0, ens5, enp3s0, bond0, ...

Symptom: RuntimeError: [enforce fail ...] ifa != nullptr. Unable to find address for: eth77
Needs:   torch; cpu, linux; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import os
import sys

import torch
import torch.distributed as dist


if __name__ == "__main__":
    os.environ["GLOO_SOCKET_IFNAME"] = "eth77"  # BUG: copied from another machine
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    ones = torch.ones(1)
    dist.all_reduce(ones)
    world_size = dist.get_world_size()
    dist.destroy_process_group()  # or the exit may abort

    healthy = ones.item() == world_size == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "sum": ones.item()}))
    sys.exit(0 if healthy else 1)
