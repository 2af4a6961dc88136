"""DP2: a split by rank and worker returns each sample once.

Each worker of each rank gets a copy of an IterableDataset and would read it from start to end.
Here each copy knows the number of its rank and of its worker and skips the records of the others.

Symptom: none: 2 ranks, each sample comes once with 0, 1 and 2 workers
Needs:   torch; cpu; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

from torch.utils.data import DataLoader, IterableDataset, get_worker_info

num_samples = 8
world_size = 2


class Stream(IterableDataset):
    def __init__(self, records, rank, world_size):  # FIX: passed in by the training process
        self.records = records
        self.rank, self.world_size = rank, world_size  # FIX

    def __iter__(self):
        info = get_worker_info()  # FIX: None without workers
        num_workers, worker = (info.num_workers, info.id) if info else (1, 0)
        for i, record in enumerate(self.records):
            if i % (self.world_size * num_workers) == self.rank * num_workers + worker:  # FIX
                yield record


def copies_of_each_sample(num_workers):
    """What the loaders of all ranks hand out together. A rank needs no process of its own here."""
    seen = []
    for rank in range(world_size):
        stream = Stream(range(num_samples), rank, world_size)  # FIX
        loader = DataLoader(stream, batch_size=2, num_workers=num_workers, collate_fn=list)
        for batch in loader:
            seen += batch
    return [seen.count(sample) for sample in range(num_samples)]


if __name__ == "__main__":
    copies = [copies_of_each_sample(num_workers) for num_workers in (0, 1, 2)]

    healthy = copies == [[1] * num_samples] * 3
    print("OBSERVED", json.dumps({"healthy": healthy, "copies_by_workers_and_sample": copies}))
    sys.exit(0 if healthy else 1)
