"""T4: workers make a small dataset in memory slower.

A dataset in memory has no loading time to hide. The workers add processes, queues and copies to
almost no work.

Symptom: an epoch over a tensor of 960 rows costs many times the CPU time with 2 workers
Needs:   torch; cpu; about 3 s
Run:     python trap_workers_for_a_tensor.py; python fix_index_whole_batches.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset

try:
    import resource
except ImportError:
    print("SKIPPED no module resource on this system")
    sys.exit(77)

torch.set_num_threads(1)
dataset = TensorDataset(torch.randn(960, 8))  # no file, no decode, no transform


def cpu_seconds():
    """CPU time of this process and of its workers that have ended."""
    return sum(used.ru_utime + used.ru_stime for used in (
        resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)))


def cost_of_an_epoch(num_workers):
    before = cpu_seconds()
    rows = sum(len(batch) for batch, in DataLoader(dataset, batch_size=16, num_workers=num_workers))
    assert rows == len(dataset)
    return cpu_seconds() - before


if __name__ == "__main__":
    cost_of_an_epoch(0)  # warm up
    in_the_loop = cost_of_an_epoch(0)
    with_workers = cost_of_an_epoch(2)  # BUG: processes and queues for almost no work

    ratio = with_workers / in_the_loop
    healthy = ratio < 1.5
    print("OBSERVED", json.dumps({"healthy": healthy, "cpu_with_workers_over_without":
                                  round(ratio, 1)}))
    sys.exit(0 if healthy else 1)
