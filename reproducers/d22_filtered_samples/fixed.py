"""D22: samples are skipped after the sampler, and the ranks' numbers of steps differ.

DistributedSampler gives every rank equally many indices. A collate_fn that throws out unreadable
samples and a loop that skips the empty batch undo that: one rank takes a step less. Its next step
is averaged with an older step of the other rank; what stops, stops epochs later.

Symptom: rank 0 takes 2 steps an epoch, rank 1 takes 3; two epochs pass, the last one fails
Needs:   torch; cpu, linux; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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
    def __len__(self):
        return 12

    def __getitem__(self, index):
        while index in unreadable:  # FIX: another sample in its place, and every batch is full
            index = (index + 1) % len(self)
        return torch.tensor([float(index)])


def drop_unreadable(samples):
    samples = [sample for sample in samples if sample is not None]
    return torch.stack(samples) if samples else None


def train(rank, folder, steps):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    dataset = Photos()
    sampler = DistributedSampler(dataset, shuffle=False)
    loader = DataLoader(dataset, batch_size=2, sampler=sampler, collate_fn=drop_unreadable)
    grad = torch.zeros(1)
    for epoch in range(num_epochs):
        for batch in loader:
            if batch is None:
                continue
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
