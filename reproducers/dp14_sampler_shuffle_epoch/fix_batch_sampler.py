"""DP14: with batch_sampler=, set_epoch belongs to the sampler inside it.

The sampler that shuffles is loader.batch_sampler.sampler. Batch size and drop_last belong to the
batch sampler.

Symptom: none: 3 epochs, 3 orders, with batch_sampler=
Needs:   torch; cpu; about 3 s
Run:     python fix_batch_sampler.py
"""
import json
import sys

import torch
from torch.utils.data import BatchSampler, DataLoader
from torch.utils.data import TensorDataset
from torch.utils.data.distributed import DistributedSampler

num_epochs = 3


if __name__ == "__main__":
    dataset = TensorDataset(torch.arange(12))
    sampler = DistributedSampler(dataset, num_replicas=2, rank=0)  # this process is rank 0 of 2
    batch_sampler = BatchSampler(sampler, batch_size=3, drop_last=True)
    loader = DataLoader(dataset, batch_sampler=batch_sampler)  # FIX: and no batch_size, drop_last

    orders = []
    for epoch in range(num_epochs):
        loader.batch_sampler.sampler.set_epoch(epoch)  # FIX: the sampler that was wrapped
        orders.append([index for (batch,) in loader for index in batch.tolist()])

    distinct = len({tuple(order) for order in orders})
    healthy = distinct == num_epochs
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_orders": distinct,
                                  "index_by_epoch_and_position": orders}))
    sys.exit(0 if healthy else 1)
