"""D22: samples are skipped after the sampler, and the ranks' numbers of steps differ.

DistributedSampler gives every rank equally many indices. A collate_fn that throws out unreadable
samples and a loop that skips the empty batch undo that: one rank takes a step less. Its next step
is averaged with an older step of the other rank; what stops, stops epochs later.

Symptom: none: 10 readable samples are dealt out, 5 to each rank
Needs:   torch; cpu, linux; about 4 s
Run:     python fix_filter_first.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler

unreadable = {4, 6}  # of 12: rank 0 meets both of them in one batch
num_epochs = 3


class Photos(Dataset):
    def __init__(self, indices):
        self.indices = indices

    def __len__(self):
        return len(self.indices)

    def __getitem__(self, index):
        return torch.tensor([float(self.indices[index])])


def train(rank, folder, steps):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    readable = [index for index in range(12) if index not in unreadable]
    dataset = Photos(readable)  # FIX: before the sampler deals them out
    sampler = DistributedSampler(dataset, shuffle=False)
    loader = DataLoader(dataset, batch_size=2, sampler=sampler)
    grad = torch.zeros(1)
    for epoch in range(num_epochs):
        for batch in loader:
            dist.all_reduce(grad)  # stands for the backward() of a DDP model
            steps[rank, epoch] += 1
        print("rank", rank, "is through epoch", epoch, flush=True)


if __name__ == "__main__":
    steps = torch.zeros(2, num_epochs, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, steps), nprocs=2,
                                              start_method="fork")

    steps = steps.tolist()
    healthy = steps[0] == steps[1] and min(steps[0]) > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_by_rank_and_epoch": steps}))
    sys.exit(0 if healthy else 1)
