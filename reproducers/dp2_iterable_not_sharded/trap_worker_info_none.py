"""DP2: the usual one-line split fails as soon as num_workers is 0.

get_worker_info() returns None in a process that is not a DataLoader worker, and that is where
__iter__ runs if num_workers is 0.

Symptom: AttributeError: 'NoneType' object has no attribute 'num_workers'
Needs:   torch; cpu; about 4 s
Run:     python trap_worker_info_none.py
"""
import json
import sys

from torch.utils.data import DataLoader, IterableDataset, get_worker_info

num_samples = 8


class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        for i in range(num_samples):
            if i % info.num_workers == info.id:  # BUG: info is None without workers
                yield i


def copies_of_each_sample(num_workers):
    seen = []
    for batch in DataLoader(Stream(), batch_size=2, num_workers=num_workers, collate_fn=list):
        seen += batch
    return [seen.count(sample) for sample in range(num_samples)]


if __name__ == "__main__":
    print("2 workers:", copies_of_each_sample(2))
    copies = copies_of_each_sample(0)

    healthy = copies == [1] * num_samples
    print("OBSERVED", json.dumps({"healthy": healthy, "copies_by_sample": copies}))
    sys.exit(0 if healthy else 1)
