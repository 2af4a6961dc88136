"""D33: without GLOO_SOCKET_IFNAME gloo chooses an address of this machine itself.

It takes the address that the hostname resolves to, and otherwise the loopback address. This is
enough if all ranks are on one machine; for several see fix_two_nodes.py.

Symptom: none: the group starts, and the all_reduce gives a result
Needs:   torch; cpu, linux; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import os
import sys

import torch
import torch.distributed as dist


if __name__ == "__main__":
    os.environ.pop("GLOO_SOCKET_IFNAME", None)  # FIX: gloo finds an address itself
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    ones = torch.ones(1)
    dist.all_reduce(ones)
    world_size = dist.get_world_size()
    dist.destroy_process_group()  # or the exit may abort

    healthy = ones.item() == world_size == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "sum": ones.item()}))
    sys.exit(0 if healthy else 1)
