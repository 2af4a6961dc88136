"""DP14: DataLoader refuses drop_last, batch_size, shuffle or sampler with a batch_sampler.

A batch_sampler decides which samples form a batch. Everything else that would decide it as well
is a contradiction, and the loader raises.

Symptom: ValueError: batch_sampler option is mutually exclusive with batch_size, shuffle, ...
Needs:   torch; cpu; about 3 s
Run:     python broken_batch_sampler_arguments.py
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
    loader = DataLoader(dataset, batch_sampler=batch_sampler, drop_last=True)  # BUG: twice

    orders = []
    for epoch in range(num_epochs):
        loader.batch_sampler.sampler.set_epoch(epoch)
        orders.append([index for (batch,) in loader for index in batch.tolist()])

    distinct = len({tuple(order) for order in orders})
    healthy = distinct == num_epochs
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_orders": distinct,
                                  "index_by_epoch_and_position": orders}))
    sys.exit(0 if healthy else 1)
