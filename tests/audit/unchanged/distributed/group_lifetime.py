# needs: torch>=2.1
# Who refers to a process group after its model is gone and the group was destroyed: one more would keep its threads.
import gc
import sys
import tempfile
import weakref

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel


def run(rank, file, queue):
    dist.init_process_group("gloo", init_method="file://" + file, rank=rank, world_size=2)
    model = DistributedDataParallel(torch.nn.Linear(2, 1))
    for _ in range(3):
        model(torch.ones(2, 2)).sum().backward()
    group = weakref.ref(model.process_group)
    dist.barrier()
    del model
    dist.destroy_process_group()
    gc.collect()
    queue.put((rank, sys.getrefcount(group())))


if __name__ == "__main__":
    queue = mp.get_context("spawn").SimpleQueue()
    mp.spawn(run, (tempfile.mktemp(), queue), 2)
    print(sorted(queue.get() for _ in range(2)))
