"""DP2: DataLoader refuses a DistributedSampler for an IterableDataset.

A sampler returns indices, and an IterableDataset takes none. DataLoader refuses the
combination.

Symptom: ValueError: DataLoader with IterableDataset: expected unspecified sampler option
Needs:   torch; cpu; about 4 s
Run:     python trap_sampler.py
"""
import json
import sys

from torch.utils.data import DataLoader, IterableDataset
from torch.utils.data.distributed import DistributedSampler

num_samples = 8
world_size = 2


class Stream(IterableDataset):
    def __len__(self):
        return num_samples

    def __iter__(self):
        return iter(range(num_samples))


if __name__ == "__main__":
    seen = []
    for rank in range(world_size):
        dataset = Stream()
        sampler = DistributedSampler(dataset, num_replicas=world_size, rank=rank, shuffle=False)
        loader = DataLoader(dataset, sampler=sampler, collate_fn=list)  # BUG: it takes no indices
        for batch in loader:
            seen += batch

    copies = [seen.count(sample) for sample in range(num_samples)]
    healthy = copies == [1] * num_samples
    print("OBSERVED", json.dumps({"healthy": healthy, "copies_by_sample": copies}))
    sys.exit(0 if healthy else 1)
