"""DP16: with an IterableDataset, drop_last=True drops a partial batch in every worker.

Each worker fills batches from its own part of the stream, so each has an incomplete batch at the
end. drop_last drops all of them, not one.

Symptom: 46 samples in batches of 8 make 4 steps with 2 workers, and 14 samples are never seen
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

num_samples, batch_size = 46, 8  # 5 full batches and 6 samples over


class Stream(IterableDataset):
    """Divided among the workers: no sample comes twice."""

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(worker, num_samples, workers))


if __name__ == "__main__":
    loader = DataLoader(Stream(), batch_size=batch_size, num_workers=2,
                        drop_last=True)  # BUG: 23 samples per worker leave 7 in each
    epochs = [list(loader) for epoch in range(2)]
    batches = epochs[0]

    sizes = [len(batch) for batch in batches]
    never_seen = num_samples - len(torch.cat(epochs[0] + epochs[1]).unique())
    healthy = sizes == [batch_size] * (num_samples // batch_size)
    print("OBSERVED", json.dumps({"healthy": healthy, "batch_sizes": sizes,
                                  "never_seen_of_46": never_seen}))
    sys.exit(0 if healthy else 1)
