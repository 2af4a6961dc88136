"""DP2: the rank read in the constructor is right under every start method.

__iter__ runs in the worker. A forked worker inherits the process group of its rank. A worker
started by forkserver or spawn has no process group, so only what was stored on the dataset in the
training process tells it its rank.

Symptom: none: 2 ranks, each sample comes once with fork, forkserver and spawn
Needs:   torch; cpu, linux; about 10 s
Run:     python fix_rank_in_constructor.py
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
    def __init__(self):
        self.rank = dist.get_rank()  # FIX: here the process group exists; workers get a copy
        self.world_size = dist.get_world_size()  # FIX

    def __iter__(self):
        info = get_worker_info()
        num_workers, worker = (info.num_workers, info.id) if info else (1, 0)
        for i in range(num_samples):
            if i % (self.world_size * num_workers) == self.rank * num_workers + worker:
                yield i


def train(rank, folder, copies):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    for row, start_method in enumerate(start_methods):
        loader = DataLoader(Stream(), num_workers=1, collate_fn=list,
                            multiprocessing_context=start_method)
        mine = [int(sample) for batch in loader for sample in batch]
        everyone = [None] * dist.get_world_size()
        dist.all_gather_object(everyone, mine)
        ids = sum(everyone, [])
        assert len(ids) == len(set(ids)), f"{len(ids)} samples, {len(set(ids))} different"
        for sample in mine:
            copies[rank, row, sample] += 1
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
