"""DP3: drop_last=True makes equal numbers of batches unequal.

With drop_last=True a rank drops its last batch if that batch is not full. Whether it is full
depends on the length of the rank's shard.

Symptom: 23 samples, 2 ranks: 6 and 6 batches become 6 and 5
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
    with_it = steps_by_rank(drop_last=True)  # BUG: rank 1 drops its partial batch

    healthy = with_it[0] == with_it[1]
    print("OBSERVED", json.dumps({"healthy": healthy,
                                  "steps_by_drop_last_and_rank": [without, with_it]}))
    sys.exit(0 if healthy else 1)
