"""DP14: a weighted sampler for several ranks, with a new draw in every epoch.

Each rank makes the same weighted draw, seeded with seed + epoch, and keeps every world_size-th
index. The ranks get different parts of one draw and the same number of samples.

Symptom: none: the rare tenth makes up half of the draws, and ranks and epochs differ
Needs:   torch; cpu; about 3 s
Run:     python fix_weighted_distributed.py
"""
import json
import sys

import torch
from torch.utils.data import Sampler


class DistributedWeightedSampler(Sampler):
    def __init__(self, weights, num_replicas, rank, seed=0):
        self.weights = torch.as_tensor(weights, dtype=torch.double)
        self.num_replicas, self.rank, self.seed, self.epoch = num_replicas, rank, seed, 0
        self.num_samples = len(self.weights) // num_replicas

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return self.num_samples

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed + self.epoch)  # FIX: equal on all ranks
        drawn = torch.multinomial(self.weights, self.num_samples * self.num_replicas,
                                  replacement=True, generator=generator)
        return iter(drawn[self.rank::self.num_replicas].tolist())


if __name__ == "__main__":
    is_rare = torch.arange(1000) < 100  # a tenth of the samples
    weights = torch.where(is_rare, torch.tensor(9.0), torch.tensor(1.0))
    ranks = [DistributedWeightedSampler(weights, num_replicas=2, rank=rank) for rank in range(2)]
    orders = []
    for epoch in range(3):
        for sampler in ranks:
            sampler.set_epoch(epoch)
            orders.append(tuple(sampler))

    rare_share = round(float(is_rare[torch.tensor(orders).flatten()].double().mean()), 2)
    steps = [len(order) for order in orders[:2]]
    distinct = len(set(orders))
    healthy = distinct == 6 and steps == [500, 500] and 0.45 < rare_share < 0.55
    print("OBSERVED", json.dumps({"healthy": healthy, "rare_share": rare_share,
                                  "samples_by_rank": steps, "distinct_orders": distinct}))
    sys.exit(0 if healthy else 1)
