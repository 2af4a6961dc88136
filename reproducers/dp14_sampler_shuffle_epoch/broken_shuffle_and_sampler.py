"""DP14: DataLoader refuses a sampler together with shuffle=True.

shuffle=True is short for "create a RandomSampler". A second sampler contradicts it, and the
loader raises.

Symptom: ValueError: sampler option is mutually exclusive with shuffle
Needs:   torch; cpu; about 3 s
Run:     python broken_shuffle_and_sampler.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

num_epochs = 3


if __name__ == "__main__":
    dataset = TensorDataset(torch.arange(12))
    sampler = DistributedSampler(dataset, num_replicas=2, rank=0)  # this process is rank 0 of 2
    loader = DataLoader(dataset, batch_size=3, sampler=sampler, shuffle=True)  # BUG: both

    orders = []
    for epoch in range(num_epochs):
        sampler.set_epoch(epoch)
        orders.append([index for (batch,) in loader for index in batch.tolist()])

    distinct = len({tuple(order) for order in orders})
    healthy = distinct == num_epochs
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_orders": distinct,
                                  "index_by_epoch_and_position": orders}))
    sys.exit(0 if healthy else 1)
