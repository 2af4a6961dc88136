"""DP2: get_rank() in __iter__ works in forked workers and duplicates in others.

__iter__ runs in the worker. A forked worker inherits the process group of its rank. A worker
started by forkserver or spawn has no process group, so only what was stored on the dataset in the
training process tells it its rank.

Symptom: each sample comes once with fork, and twice with forkserver and with spawn
Needs:   torch; cpu, linux; about 10 s
Run:     python trap_rank_in_iter.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

num_samples = 8
start_methods = ["fork", "forkserver", "spawn"]


class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        num_workers, worker = (info.num_workers, info.id) if info else (1, 0)
        rank, world_size = 0, 1
        if dist.is_initialized():  # BUG: False in a worker that was not forked
            rank, world_size = dist.get_rank(), dist.get_world_size()
        for i in range(num_samples):
            if i % (world_size * num_workers) == rank * num_workers + worker:
                yield i


def train(rank, folder, copies):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    for row, start_method in enumerate(start_methods):
        loader = DataLoader(Stream(), num_workers=1, collate_fn=list,
                            multiprocessing_context=start_method)
        for batch in loader:
            copies[rank, row, batch[0]] += 1
    dist.barrier()


if __name__ == "__main__":
    shape = (2, len(start_methods), num_samples)
    copies = torch.zeros(shape, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, copies), nprocs=2,
                                              start_method="fork")

    copies = copies.sum(dim=0).tolist()
    healthy = copies == [[1] * num_samples] * len(start_methods)
    print("OBSERVED", json.dumps({"healthy": healthy,
                                  "copies_by_start_method_and_sample": copies}))
    sys.exit(0 if healthy else 1)
