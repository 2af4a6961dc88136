"""DP14: set_epoch before each epoch gives every epoch a new order.

A DistributedSampler shuffles with its own generator, seeded with seed + epoch. set_epoch must be
called before the loader is iterated, with the same number on every rank.

Symptom: none: 3 epochs, 3 orders
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader
from torch.utils.data import TensorDataset
from torch.utils.data.distributed import DistributedSampler

num_epochs = 3


def train(dataset, train_step, rank, world_size):
    sampler = DistributedSampler(dataset, num_replicas=world_size, rank=rank)
    loader = DataLoader(dataset, batch_size=3, sampler=sampler)
    for epoch in range(num_epochs):
        sampler.set_epoch(epoch)  # FIX: before the loader is iterated
        print(epoch, list(sampler)[:8])
        for batch in loader:
            train_step(batch)


if __name__ == "__main__":
    indices = []
    dataset = TensorDataset(torch.arange(12))
    train(dataset, lambda batch: indices.extend(batch[0].tolist()), rank=0, world_size=2)

    orders = [indices[i:i + 6] for i in range(0, len(indices), 6)]  # rank 0 has 6 of 12 samples
    distinct = len({tuple(order) for order in orders})
    healthy = distinct == num_epochs
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_orders": distinct,
                                  "index_by_epoch_and_position": orders}))
    sys.exit(0 if healthy else 1)
