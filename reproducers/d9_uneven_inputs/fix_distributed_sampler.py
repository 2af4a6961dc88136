"""D9: DistributedSampler gives every rank the same number of batches.

It repeats a few samples (or, with drop_last=True, leaves a few out) until the ranks have equally
many. A split by hand does neither.

Symptom: none: 6 and 5 batches by hand, 6 and 6 with the sampler
Needs:   torch; cpu, linux; about 3 s
Run:     python fix_distributed_sampler.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

dataset = torch.ones(11, 1)
batch_size, num_epochs = 1, 2


def batches_of_all_ranks(loader):
    """The number of batches of every rank. Call this on all ranks, before the first step."""
    lengths = [None] * dist.get_world_size()
    dist.all_gather_object(lengths, len(loader))
    return lengths


def train(rank, folder, lengths, steps):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    by_hand = DataLoader(dataset[rank::2], batch_size=batch_size)
    lengths[rank, 0] = torch.tensor(batches_of_all_ranks(by_hand))

    sampler = DistributedSampler(dataset)  # FIX: pads, so that all ranks have equally many
    loader = DataLoader(dataset, batch_size=batch_size, sampler=sampler)
    lengths[rank, 1] = torch.tensor(batches_of_all_ranks(loader))
    for epoch in range(num_epochs):
        sampler.set_epoch(epoch)
        for batch in loader:
            steps[rank] += 1


if __name__ == "__main__":
    lengths = torch.zeros(2, 2, 2, dtype=torch.int64).share_memory_()
    steps = torch.zeros(2, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, lengths, steps), nprocs=2,
                                              start_method="fork")

    seen_by_0, seen_by_1 = lengths.tolist()
    steps = steps.tolist()
    healthy = seen_by_0 == seen_by_1 == [[6, 5], [6, 6]] and steps == [12, 12]
    print("OBSERVED", json.dumps({"healthy": healthy, "len_by_split_and_rank": seen_by_0,
                                  "steps_by_rank": steps}))
    sys.exit(0 if healthy else 1)
