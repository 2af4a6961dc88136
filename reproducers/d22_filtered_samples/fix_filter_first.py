"""D22: the list of samples is filtered before the sampler splits it.

The same filtered list on every rank is split evenly, and nothing is dropped later.

Symptom: none: 10 readable samples, 3 batches for each rank in every epoch
Needs:   torch; cpu, linux; about 6 s
Run:     python fix_filter_first.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

unreadable = {4, 6}  # of 12: both are in one batch of rank 0
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
    model = DistributedDataParallel(torch.nn.Linear(1, 1))
    readable = [index for index in range(12) if index not in unreadable]
    dataset = Photos(readable)  # FIX: before the sampler
    sampler = DistributedSampler(dataset, shuffle=False)
    loader = DataLoader(dataset, batch_size=2, sampler=sampler)
    for epoch in range(num_epochs):
        for batch in loader:
            model(batch).mean().backward()
            steps[rank, epoch] += 1
        print("rank", rank, "has finished epoch", epoch, flush=True)


if __name__ == "__main__":
    steps = torch.zeros(2, num_epochs, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, steps), nprocs=2,
                                              start_method="fork")

    steps = steps.tolist()
    healthy = steps[0] == steps[1] and min(steps[0]) > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_by_rank_and_epoch": steps}))
    sys.exit(0 if healthy else 1)
