"""DP2: an IterableDataset yields every sample once per worker and once per rank.

Each DataLoader worker iterates a full copy of the dataset, and so does each DDP rank. There
are no indices for a sampler to divide: unless __iter__ itself skips what the others read,
they all read everything.

Symptom: 8 samples, 2 ranks: each comes 2 times with 0 or 1 workers, 4 times with 2 workers
Needs:   torch; cpu; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

from torch.utils.data import DataLoader, IterableDataset

num_samples = 8
world_size = 2


class Stream(IterableDataset):
    def __iter__(self):
        for i in range(num_samples):  # BUG: every worker of every rank comes here and reads all
            yield i


def copies_of_each_sample(num_workers):
    """What the loaders of all ranks hand out together. A rank needs no process of its own here."""
    seen = []
    for rank in range(world_size):
        loader = DataLoader(Stream(), batch_size=2, num_workers=num_workers,
                            collate_fn=list)
        for batch in loader:
            seen += batch
    return [seen.count(sample) for sample in range(num_samples)]


if __name__ == "__main__":
    copies = [copies_of_each_sample(num_workers) for num_workers in (0, 1, 2)]

    healthy = copies == [[1] * num_samples] * 3
    print("OBSERVED", json.dumps({"healthy": healthy, "copies_by_workers_and_sample": copies}))
    sys.exit(0 if healthy else 1)
