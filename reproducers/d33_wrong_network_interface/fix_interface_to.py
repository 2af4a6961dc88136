"""D33: the name of the interface is looked up on each machine.

`ip route get ADDRESS` prints the interface that leads to that address. Nothing is sent.

Symptom: none: the group starts, and the all_reduce gives a result
Needs:   torch; cpu, linux; about 2 s
Run:     python fix_interface_to.py
"""
import json
import os
import shutil
import subprocess
import sys

import torch
import torch.distributed as dist

master = "127.0.0.1"


def interface_to(host):
    route = subprocess.check_output(["ip", "route", "get", host]).decode()
    return route.split(" dev ")[1].split()[0]


if __name__ == "__main__":
    if not shutil.which("ip"):
        print("SKIPPED no ip command")
        sys.exit(77)
    os.environ["GLOO_SOCKET_IFNAME"] = interface_to(master)  # FIX: the name on this machine
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    ones = torch.ones(1)
    dist.all_reduce(ones)
    world_size = dist.get_world_size()
    dist.destroy_process_group()  # or the exit may abort

    healthy = ones.item() == world_size == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "sum": ones.item()}))
    sys.exit(0 if healthy else 1)
