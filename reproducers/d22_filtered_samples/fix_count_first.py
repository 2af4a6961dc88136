"""D22: a pass without the model counts the steps of every rank; all stop after the fewest.

The pass skips exactly what the training loop skips. It happens before training, so its collective
cannot pair with a gradient.

Symptom: none: 2 and 3 are counted, and both ranks take 2 steps in every epoch
Needs:   torch; cpu, linux; about 6 s
Run:     python fix_count_first.py
"""
import json
import sys
import tempfile
from datetime import timedelta
from itertools import islice

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

unreadable = {4, 6}  # of 12: both are in one batch of rank 0
num_epochs = 3


class Photos(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, index):
        return None if index in unreadable else torch.tensor([float(index)])


def drop_unreadable(samples):
    samples = [sample for sample in samples if sample is not None]
    return torch.stack(samples) if samples else None


def count_steps(loader):
    """A pass without the model: the number of steps of every rank. Call this on all ranks."""
    mine = sum(1 for batch in loader if batch is not None)  # FIX: skip as the training loop does
    everyone = [None] * dist.get_world_size()
    dist.all_gather_object(everyone, mine)
    return everyone


def train(rank, folder, steps, counted):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    model = DistributedDataParallel(torch.nn.Linear(1, 1))
    dataset = Photos()
    sampler = DistributedSampler(dataset, shuffle=False)
    loader = DataLoader(dataset, batch_size=2, sampler=sampler, collate_fn=drop_unreadable)
    steps_of_all = count_steps(loader)
    num_steps = min(steps_of_all)
    counted[rank] = torch.tensor(steps_of_all)
    for epoch in range(num_epochs):
        batches = (batch for batch in loader if batch is not None)
        for batch in islice(batches, num_steps):  # FIX
            model(batch).mean().backward()
            steps[rank, epoch] += 1
        print("rank", rank, "has finished epoch", epoch, flush=True)


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
