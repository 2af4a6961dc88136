"""DP14: set_epoch is missing, so DistributedSampler gives every epoch the same order.

A DataLoader takes its order either from shuffle or from a sampler, never from both. The order of a
DistributedSampler is a permutation seeded with seed + epoch, and its epoch stays 0 until set_epoch
is called on that very sampler before the epoch's iterator is made.

Symptom: none: 3 epochs, 3 orders, with batch_sampler=
Needs:   torch; cpu; about 3 s
Run:     python fix_batch_sampler.py
"""
import json
import sys

import torch
from torch.utils.data import BatchSampler, DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

num_epochs = 3


if __name__ == "__main__":
    dataset = TensorDataset(torch.arange(12))
    sampler = DistributedSampler(dataset, num_replicas=2, rank=0)  # this process is rank 0 of 2
    batch_sampler = BatchSampler(sampler, batch_size=3, drop_last=True)
    loader = DataLoader(dataset, batch_sampler=batch_sampler)  # FIX: no other such argument

    orders = []
    for epoch in range(num_epochs):
        loader.batch_sampler.sampler.set_epoch(epoch)  # FIX: the sampler that was wrapped
        orders.append([index for (batch,) in loader for index in batch.tolist()])

    distinct = len({tuple(order) for order in orders})
    healthy = distinct == num_epochs
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_orders": distinct,
                                  "index_by_epoch_and_position": orders}))
    sys.exit(0 if healthy else 1)
