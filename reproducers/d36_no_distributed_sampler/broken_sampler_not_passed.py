"""D36: a DistributedSampler is created, but the loader does not get it.

The sampler only divides the data of the loader whose argument it is. Calling its set_epoch in
each epoch raises nothing and changes nothing.

Symptom: 2 ranks, 8 samples, 4 steps per epoch on each rank instead of 2; each sample seen twice
Needs:   torch; cpu, linux; about 3 s
Run:     python broken_sampler_not_passed.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

dataset = range(8)
batch_size, num_epochs = 2, 2


def train(rank, folder, order):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    torch.manual_seed(0)
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=batch_size, shuffle=True)  # BUG: no sampler=sampler
    for epoch in range(num_epochs):
        sampler.set_epoch(epoch)
        for step, index in enumerate(loader):
            order[rank, epoch, step] = index


if __name__ == "__main__":
    order = torch.full((2, 2, 4, 2), -1).share_memory_()  # -1: no such step
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, order), nprocs=2,
                                              start_method="fork")

    taken = order[..., 0] >= 0
    steps = taken.sum(dim=(1, 2)).tolist()
    seen = [[int((order[:, epoch] == i).sum()) for i in range(8)] for epoch in range(2)]
    same_batches = int((taken & (order[0] == order[1]).all(dim=-1)).any(dim=0).sum())
    reshuffled = not torch.equal(order[0, 0], order[0, 1])
    healthy = steps == [4, 4] and seen == [[1] * 8] * 2 and reshuffled
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_by_rank": steps,
                                  "times_seen_by_epoch_and_sample": seen,
                                  "same_batches": same_batches, "reshuffled": reshuffled}))
    sys.exit(0 if healthy else 1)
