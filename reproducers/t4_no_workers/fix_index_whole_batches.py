"""T4: a dataset in memory is fast when whole batches are indexed at once.

For a tensor in memory most of the loader's time goes into fetching single samples and stacking
them again. A BatchSampler passed as sampler=, with batch_size=None, indexes the dataset once per
batch with a list of indices, and a tensor can do that in one operation.

Symptom: none: an epoch costs a small part of the CPU time of the usual loader
Needs:   torch; cpu; about 3 s
Run:     python trap_workers_for_a_tensor.py; python fix_index_whole_batches.py
"""
import json
import sys
import time

import torch
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset

torch.set_num_threads(1)
x, y = torch.randn(20000, 8), torch.arange(20000)
dataset = TensorDataset(x, y)
batch_size = 1000


def cost_of_an_epoch(loader):
    """CPU seconds of this process, and how many different rows the loader gave."""
    before = time.process_time()
    labels = torch.cat([y for x, y in loader])
    return time.process_time() - before, len(labels.unique())


if __name__ == "__main__":
    usual = DataLoader(dataset, batch_size=batch_size, shuffle=True)
    batch_sampler = BatchSampler(RandomSampler(dataset), batch_size, drop_last=False)
    loader = DataLoader(dataset, sampler=batch_sampler, batch_size=None)  # FIX: one lookup a batch
    seconds_usual = min(cost_of_an_epoch(usual)[0] for _ in range(4))
    seconds = min(cost_of_an_epoch(loader)[0] for _ in range(4))
    rows = cost_of_an_epoch(loader)[1]

    ratio = seconds_usual / seconds
    healthy = ratio > 2 and rows == len(dataset)
    print("OBSERVED", json.dumps({"healthy": healthy, "usual_over_batched": round(ratio, 1),
                                  "distinct_rows": rows}))
    sys.exit(0 if healthy else 1)
