"""DP14: a new torch.manual_seed in each epoch does not change a DistributedSampler's order.

The sampler shuffles with its own generator, not with the global one, because all ranks must make
the same permutation.

Symptom: a new global seed in each epoch, and still the same order in all 3
Needs:   torch; cpu; about 3 s
Run:     python trap_manual_seed.py
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
    loader = DataLoader(dataset, batch_size=3, sampler=sampler)

    orders = []
    for epoch in range(num_epochs):
        torch.manual_seed(epoch)  # BUG: the sampler uses its own generator
        orders.append([index for (batch,) in loader for index in batch.tolist()])

    distinct = len({tuple(order) for order in orders})
    healthy = distinct == num_epochs
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_orders": distinct,
                                  "index_by_epoch_and_position": orders}))
    sys.exit(0 if healthy else 1)
