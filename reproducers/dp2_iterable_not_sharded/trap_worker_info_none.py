"""DP2: an IterableDataset yields every sample once per worker and once per rank.

Each DataLoader worker iterates a full copy of the dataset, and so does each DDP rank. There
are no indices for a sampler to divide: unless __iter__ itself skips what the others read,
they all read everything.

Symptom: works with 2 workers, AttributeError with num_workers=0
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
            if i % info.num_workers == info.id:  # BUG: info is None where there are no workers
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
