"""D22: samples are skipped after the sampler, and the ranks' numbers of steps differ.

DistributedSampler gives every rank equally many indices. A collate_fn that throws out unreadable
samples and a loop that skips the empty batch undo that: one rank takes a step less. Its next step
is averaged with an older step of the other rank; what stops, stops epochs later.

Symptom: none: both ranks know before the first step that it will be 2 and 3, and take 2
Needs:   torch; cpu, linux; about 4 s
Run:     python fix_count_first.py
"""
import itertools
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
        return None if index in unreadable else torch.tensor([float(index)])


def drop_unreadable(samples):
    samples = [sample for sample in samples if sample is not None]
    return torch.stack(samples) if samples else None


def train(rank, folder, steps, counted):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    dataset = Photos()
    sampler = DistributedSampler(dataset, shuffle=False)
    loader = DataLoader(dataset, batch_size=2, sampler=sampler, collate_fn=drop_unreadable)
    mine = torch.tensor([sum(1 for batch in loader if batch is not None)])  # FIX: count, no model
    everyone = [torch.zeros_like(mine) for _ in range(2)]
    dist.all_gather(everyone, mine)  # every rank learns every rank's number of steps
    fewest = int(min(everyone))
    counted[rank] = torch.cat(everyone)
    grad = torch.zeros(1)
    for epoch in range(num_epochs):
        batches = (batch for batch in loader if batch is not None)
        for batch in itertools.islice(batches, fewest):  # FIX
            dist.all_reduce(grad)  # stands for the backward() of a DDP model
            steps[rank, epoch] += 1
        print("rank", rank, "is through epoch", epoch, flush=True)


if __name__ == "__main__":
    steps = torch.zeros(2, num_epochs, dtype=torch.int64).share_memory_()
    counted = torch.zeros(2, 2, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, steps, counted), nprocs=2,
                                              start_method="fork")

    steps = steps.tolist()
    counted = counted.tolist()
    healthy = steps[0] == steps[1] and min(steps[0]) > 0 and counted[0] == counted[1] == [2, 3]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_by_rank_and_epoch": steps,
                                  "counted_beforehand_by_rank": counted[0]}))
    sys.exit(0 if healthy else 1)
