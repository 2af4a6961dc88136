"""DP14: with batch_sampler= the loader's own sampler is a SequentialSampler without set_epoch.

The sampler that shuffles is inside the batch sampler. loader.sampler is a default that the loader
creates and does not use.

Symptom: AttributeError: 'SequentialSampler' object has no attribute 'set_epoch'
Needs:   torch; cpu; about 3 s
Run:     python broken_set_epoch_batch_sampler.py
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
    loader = DataLoader(dataset, batch_sampler=batch_sampler)

    orders = []
    for epoch in range(num_epochs):
        loader.sampler.set_epoch(epoch)  # BUG: with batch_sampler= this is a SequentialSampler
        orders.append([index for (batch,) in loader for index in batch.tolist()])

    distinct = len({tuple(order) for order in orders})
    healthy = distinct == num_epochs
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_orders": distinct,
                                  "index_by_epoch_and_position": orders}))
    sys.exit(0 if healthy else 1)
