"""DP14: without a DistributedSampler, a shuffling loader has a RandomSampler without set_epoch.

The script was written for several GPUs and now runs on one. shuffle=True creates a RandomSampler,
which reshuffles by itself and has no set_epoch.

Symptom: AttributeError: 'RandomSampler' object has no attribute 'set_epoch'
Needs:   torch; cpu; about 3 s
Run:     python broken_set_epoch_one_gpu.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset

num_epochs = 3


if __name__ == "__main__":
    dataset = TensorDataset(torch.arange(12))
    loader = DataLoader(dataset, batch_size=3, shuffle=True)  # one process: no DistributedSampler

    orders = []
    for epoch in range(num_epochs):
        loader.sampler.set_epoch(epoch)  # BUG: shuffle=True makes a RandomSampler
        orders.append([index for (batch,) in loader for index in batch.tolist()])

    distinct = len({tuple(order) for order in orders})
    healthy = distinct == num_epochs
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_orders": distinct,
                                  "index_by_epoch_and_position": orders}))
    sys.exit(0 if healthy else 1)
