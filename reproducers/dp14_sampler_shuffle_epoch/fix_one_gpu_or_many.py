"""DP14: set_epoch is missing, so DistributedSampler gives every epoch the same order.

A DataLoader takes its order either from shuffle or from a sampler, never from both. The order of a
DistributedSampler is a permutation seeded with seed + epoch, and its epoch stays 0 until set_epoch
is called on that very sampler before the epoch's iterator is made.

Symptom: none: 3 epochs, 3 orders, in one process and in two
Needs:   torch; cpu; about 3 s
Run:     python fix_one_gpu_or_many.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

num_epochs = 3


def orders_of_training(distributed):
    dataset = TensorDataset(torch.arange(12))
    sampler = DistributedSampler(dataset, num_replicas=2, rank=0) if distributed else None
    loader = DataLoader(dataset, batch_size=3, sampler=sampler, shuffle=sampler is None)  # FIX
    orders = []
    for epoch in range(num_epochs):
        if sampler is not None:  # FIX: only a DistributedSampler has set_epoch
            sampler.set_epoch(epoch)
        orders.append([index for (batch,) in loader for index in batch.tolist()])
    return orders


if __name__ == "__main__":
    torch.manual_seed(0)
    alone, one_of_two = orders_of_training(distributed=False), orders_of_training(distributed=True)

    one, many = len(set(map(tuple, alone))), len(set(map(tuple, one_of_two)))
    samples = [len(alone[0]), len(one_of_two[0])]
    healthy = one == many == num_epochs and samples == [12, 6]
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_orders_one_process": one,
                                  "distinct_orders_distributed": many,
                                  "samples_alone_and_as_one_of_two": samples}))
    sys.exit(0 if healthy else 1)
