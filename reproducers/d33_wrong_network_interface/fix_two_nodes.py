"""D33: both nodes use the address of node 0 and the interface that leads to it.

The interface has a different name on each node: net0 and net1. The two nodes are two network
namespaces of this machine, joined by a cable (veth).

Symptom: none: the all_reduce over both nodes gives 2 on each
Needs:   torch; cpu, linux; about 5 s
Run:     python fix_two_nodes.py
"""
import ctypes
import json
import multiprocessing
import os
import subprocess
import sys
from datetime import timedelta

import torch
import torch.distributed as dist

libc = ctypes.CDLL(None)
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
NET_ADMIN, SYS_ADMIN = 12, 21


def new_network(flags):
    """Move this process into a new network, which it and the programs it starts may change."""
    if libc.unshare(flags):
        raise OSError("no right to create a network namespace")
    mask = 1 << NET_ADMIN | 1 << SYS_ADMIN
    libc.capset((ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(mask, mask, mask))
    libc.prctl(47, 2, NET_ADMIN, 0, 0)  # PR_CAP_AMBIENT_RAISE
    subprocess.check_call("ip link set lo up", shell=True)


def train(rank, sums):
    os.environ["GLOO_SOCKET_IFNAME"] = f"net{rank}"  # FIX: the interface towards the other node
    dist.init_process_group("gloo", init_method="tcp://10.99.0.1:29500", rank=rank,  # FIX: node 0
                            world_size=2, timeout=timedelta(seconds=60))
    ones = torch.ones(1)
    dist.all_reduce(ones)
    sums[rank] = ones


def node(rank, both, sums):
    if rank == 1:
        new_network(CLONE_NEWNET)
        subprocess.check_call(f"ip link add net1 type veth peer name net0 netns {os.getppid()}",
                              shell=True)
    both.wait()
    subprocess.check_call(f"ip link set net{rank} up; "
                          f"ip address add 10.99.0.{rank + 1}/24 dev net{rank}", shell=True)
    both.wait()
    train(rank, sums)


def cluster(_, sums):
    new_network(CLONE_NEWUSER | CLONE_NEWNET)
    both = multiprocessing.get_context("fork").Barrier(2)
    torch.multiprocessing.start_processes(node, (both, sums), nprocs=2,
                                          start_method="fork")


if __name__ == "__main__":
    probe = multiprocessing.get_context("fork").Process(target=new_network,
                                                        args=(CLONE_NEWUSER | CLONE_NEWNET,))
    probe.start()
    probe.join()
    if probe.exitcode:
        print("SKIPPED no ip command, or no right to create a network namespace")
        sys.exit(77)
    sums = torch.zeros(2).share_memory_()
    torch.multiprocessing.start_processes(cluster, (sums,), nprocs=1, start_method="fork")

    healthy = sums.tolist() == [2, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "sum_by_rank": sums.tolist()}))
    sys.exit(0 if healthy else 1)
