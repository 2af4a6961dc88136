"""DP3: the ranks of a DDP job get unequal numbers of batches from an IterableDataset.

backward() averages the gradients with the other ranks, so every rank has to call it equally
often. A sampler sees to that for map-style data; nothing does for a stream that each rank
reads from its own shard. The rank with the longer shard waits for one that has left.

Symptom: 23 samples, 2 ranks: 6 and 6 batches; with drop_last=True 6 and 5
Needs:   torch; cpu; about 4 s
Run:     python trap_drop_last.py
"""
import json
import sys

from torch.utils.data import DataLoader, IterableDataset

num_samples = 23
world_size = 2
batch_size = 2


class Shard(IterableDataset):
    """Every second sample of the stream: 12 for rank 0, 11 for rank 1."""

    def __init__(self, rank):
        self.rank = rank

    def __iter__(self):
        return iter(range(self.rank, num_samples, world_size))


def steps_by_rank(drop_last):
    """What each rank's loader gives. A rank needs no process of its own here."""
    loaders = [DataLoader(Shard(rank), batch_size=batch_size, drop_last=drop_last)
               for rank in range(world_size)]
    return [sum(1 for _ in loader) for loader in loaders]


if __name__ == "__main__":
    without = steps_by_rank(drop_last=False)
    with_it = steps_by_rank(drop_last=True)  # BUG: the sample over is a whole batch less

    healthy = with_it[0] == with_it[1]
    print("OBSERVED", json.dumps({"healthy": healthy,
                                  "steps_by_drop_last_and_rank": [without, with_it]}))
    sys.exit(0 if healthy else 1)
