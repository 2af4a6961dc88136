"""DP14: set_epoch with a different value on each rank makes the ranks share and miss samples.

Each rank keeps its part of a permutation that depends on the epoch. With different epochs these
are parts of different permutations, which overlap.

Symptom: one epoch on two ranks: some of the 12 samples are trained on twice, some never
Needs:   torch; cpu; about 3 s
Run:     python trap_epoch_per_rank.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

world_size = 2


if __name__ == "__main__":
    dataset = TensorDataset(torch.arange(12))
    indices = []
    for rank in range(world_size):  # what each of the processes does in epoch 0
        sampler = DistributedSampler(dataset, num_replicas=world_size, rank=rank)
        loader = DataLoader(dataset, batch_size=3, sampler=sampler)
        sampler.set_epoch(0 + rank)  # BUG: parts of different permutations
        indices.append([index for (batch,) in loader for index in batch.tolist()])

    seen_twice = len(set(indices[0]) & set(indices[1]))
    never_seen = len(dataset) - len(set(indices[0]) | set(indices[1]))
    healthy = seen_twice == never_seen == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "seen_twice": seen_twice,
                                  "never_seen": never_seen, "of": len(dataset),
                                  "index_by_rank_and_position": indices}))
    sys.exit(0 if healthy else 1)
