"""DP14: one loop that reshuffles every epoch on one GPU and on many.

Without a sampler the loader shuffles by itself. With a DistributedSampler it must not, and
set_epoch has to be called.

Symptom: none: 3 epochs, 3 orders, in one process and in two
Needs:   torch; cpu; about 3 s
Run:     python fix_one_gpu_or_many.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader
from torch.utils.data import TensorDataset
from torch.utils.data.distributed import DistributedSampler

num_epochs = 3


def train(dataset, batch_size, train_step, rank=0, world_size=1):
    sampler = None
    if world_size > 1:
        sampler = DistributedSampler(dataset, num_replicas=world_size, rank=rank)
    loader = DataLoader(dataset, batch_size, sampler=sampler, shuffle=sampler is None)  # FIX
    for epoch in range(num_epochs):
        if sampler is not None:  # FIX: only a DistributedSampler has set_epoch
            sampler.set_epoch(epoch)
        for batch in loader:
            train_step(batch)


def orders_of_training(**rank_and_world_size):
    indices = []
    torch.manual_seed(0)
    train(TensorDataset(torch.arange(12)), 3, lambda batch: indices.extend(batch[0].tolist()),
          **rank_and_world_size)
    length = len(indices) // num_epochs
    return [tuple(indices[i:i + length]) for i in range(0, len(indices), length)]


if __name__ == "__main__":
    alone, one_of_two = orders_of_training(), orders_of_training(rank=0, world_size=2)

    one, many = len(set(alone)), len(set(one_of_two))
    samples = [len(alone[0]), len(one_of_two[0])]
    healthy = one == many == num_epochs and samples == [12, 6]
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_orders_one_process": one,
                                  "distinct_orders_distributed": many,
                                  "samples_alone_and_as_one_of_two": samples}))
    sys.exit(0 if healthy else 1)
