"""A stream with a shuffle buffer, which both workers read as a whole."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Shards(IterableDataset):
    def __init__(self, shards, buffer):
        self.shards, self.buffer = shards, buffer

    def __iter__(self):
        info, rng = get_worker_info(), random.Random(torch.initial_seed())
        shards = list(self.shards)
        rng.shuffle(shards)
        held = []
        for shard in shards:
            for row in shard:
                held.append(row)
                if len(held) > self.buffer:
                    yield held.pop(rng.randrange(len(held)))
        rng.shuffle(held)
        yield from held


def train(stream):
    model = nn.Linear(8, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(2):
        for x in DataLoader(stream, batch_size=32, num_workers=2):
            optimizer.zero_grad()
            (model(x)[:, 0] - x.sum(1)).pow(2).mean().backward()
            optimizer.step()


torch.manual_seed(0)
train(Shards([torch.randn(300, 8) for _ in range(6)], 200))
