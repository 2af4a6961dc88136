"""DP2: a split by worker alone leaves one copy per rank.

The worker's number divides the stream among the workers of one rank. Every rank still reads all of
it.

Symptom: 2 ranks: each sample comes twice, with 0, 1 and 2 workers
Needs:   torch; cpu; about 4 s
Run:     python trap_worker_split_only.py
"""
import json
import sys

from torch.utils.data import DataLoader, IterableDataset, get_worker_info

num_samples = 8
world_size = 2


class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        num_workers, worker = (info.num_workers, info.id) if info else (1, 0)
        for i in range(num_samples):
            if i % num_workers == worker:  # BUG: knows its worker, not its rank
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
