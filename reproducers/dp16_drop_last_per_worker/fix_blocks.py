"""DP16: a stream that is dealt out in blocks of one batch leaves one partial batch in all.

Each worker gets whole batches: samples 0 to 7 go to the first, 8 to 15 to the second, and so on.
Only the last block of all can be incomplete.

Symptom: none: 46 samples make 5 full batches with 2 workers
Needs:   torch; cpu; about 2 s
Run:     python fix_blocks.py; python broken.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader
from torch.utils.data import IterableDataset, get_worker_info

num_samples, batch_size = 46, 8  # 5 full batches and 6 samples over


class Stream(IterableDataset):
    def __init__(self, source, batch_size):
        self.source, self.batch_size = source, batch_size

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        for index, sample in enumerate(self.source):
            if index // self.batch_size % workers == worker:  # FIX: whole batches to each worker
                yield sample


if __name__ == "__main__":
    stream = Stream(range(num_samples), batch_size)
    loader = DataLoader(stream, batch_size=batch_size, num_workers=2, drop_last=True)
    batches = list(loader)

    sizes = [len(batch) for batch in batches]
    never_seen = num_samples - len(torch.cat(batches).unique())
    healthy = sizes == [batch_size] * (num_samples // batch_size)
    print("OBSERVED", json.dumps({"healthy": healthy, "batch_sizes": sizes,
                                  "never_seen_of_46": never_seen}))
    sys.exit(0 if healthy else 1)
