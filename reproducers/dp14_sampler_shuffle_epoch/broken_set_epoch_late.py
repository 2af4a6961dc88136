"""DP14: set_epoch after iter(loader) takes effect one epoch late.

With workers, iter(loader) already hands out the first indices. The sampler makes its permutation
at that moment, with the old epoch.

Symptom: set_epoch is called, yet epoch 1 repeats epoch 0, and epoch 2 has the order of epoch 1
Needs:   torch; cpu; about 3 s
Run:     python broken_set_epoch_late.py
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
    loader = DataLoader(dataset, batch_size=3, sampler=sampler, num_workers=1)

    orders = []
    for epoch in range(num_epochs):
        batches = iter(loader)
        sampler.set_epoch(epoch)  # BUG: iter() has already handed the old order to the worker
        orders.append([index for (batch,) in batches for index in batch.tolist()])

    distinct = len({tuple(order) for order in orders})
    healthy = distinct == num_epochs
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_orders": distinct,
                                  "index_by_epoch_and_position": orders}))
    sys.exit(0 if healthy else 1)
