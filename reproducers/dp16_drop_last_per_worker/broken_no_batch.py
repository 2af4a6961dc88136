"""DP16: an epoch is empty if no worker has enough samples for one batch.

Each worker fills batches from its own part of the stream. If that part is smaller than a batch,
drop_last=True drops everything.

Symptom: 46 samples in batches of 24 make 1 batch without workers and none with 2 workers
Needs:   torch; cpu; about 2 s
Run:     python broken_no_batch.py; python fixed.py
"""
import json
import sys

from torch.utils.data import DataLoader
from torch.utils.data import IterableDataset, get_worker_info

worker_counts = [0, 2]
num_samples, batch_size = 46, 24  # 1 full batch and 22 samples over


class Stream(IterableDataset):
    """Divided among the workers: no sample comes twice."""

    def __len__(self):
        return num_samples

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(worker, num_samples, workers))



def count_batches(dataset, batch_size):
    counts = []
    for num_workers in worker_counts:
        # BUG: 23 samples a worker do not fill one batch of 24
        loader = DataLoader(dataset, batch_size, drop_last=True, num_workers=num_workers)
        counts.append(sum(1 for batch in loader))
        print(num_workers, "workers:", counts[-1], "batches")
    return counts


if __name__ == "__main__":
    stream = Stream()
    counts = count_batches(stream, batch_size)
    promised = len(DataLoader(stream, batch_size, drop_last=True, num_workers=2))

    healthy = counts == [promised, promised]
    print("OBSERVED", json.dumps({"healthy": healthy, "workers": worker_counts,
                                  "batches_by_workers": counts, "len_of_loader": promised}))
    sys.exit(0 if healthy else 1)
