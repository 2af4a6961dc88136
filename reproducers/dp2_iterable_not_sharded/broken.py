"""DP2: each sample of an IterableDataset comes once per worker of each rank.

DataLoader does not divide an IterableDataset. It sends indices to the workers of a map-style
dataset, but an iterable one has no indices: each worker of each rank gets a copy of the dataset
and reads it from start to end.

Symptom: 2 ranks: each sample comes 2 times with 0 or 1 workers, and 4 times with 2 workers
Needs:   torch; cpu; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

from torch.utils.data import DataLoader, IterableDataset

num_samples = 8
world_size = 2


class Stream(IterableDataset):
    def __init__(self, records):
        self.records = records

    def __iter__(self):
        for record in self.records:  # BUG: every worker of every rank runs this and reads all
            yield record


def copies_of_each_sample(num_workers):
    """What the loaders of all ranks hand out together. A rank needs no process of its own here."""
    seen = []
    for rank in range(world_size):
        stream = Stream(range(num_samples))
        loader = DataLoader(stream, batch_size=2, num_workers=num_workers, collate_fn=list)
        for batch in loader:
            seen += batch
    return [seen.count(sample) for sample in range(num_samples)]


if __name__ == "__main__":
    copies = [copies_of_each_sample(num_workers) for num_workers in (0, 1, 2)]

    healthy = copies == [[1] * num_samples] * 3
    print("OBSERVED", json.dumps({"healthy": healthy, "copies_by_workers_and_sample": copies}))
    sys.exit(0 if healthy else 1)
