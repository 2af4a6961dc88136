"""T4: num_workers=0, the default, loads every batch on the training thread, between two steps.

Without workers next(loader) calls __getitem__ for each sample of the batch, then collates, in the
process that trains. Loading and the step take turns, so their times add up. Workers load while
the step runs, so the longer of the two counts.

Symptom: a dataset that is a tensor in memory costs several times the CPU with workers
Needs:   torch; cpu; about 3 s
Run:     python trap_workers_for_a_tensor.py
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
    """Of this process and of the workers that have ended. Another program does not count."""
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
    with_workers = cost_of_an_epoch(2)  # BUG: processes and queues for next to no work

    ratio = with_workers / in_the_loop
    healthy = ratio < 1.5
    print("OBSERVED", json.dumps({"healthy": healthy, "cpu_with_workers_over_without":
                                  round(ratio, 1)}))
    sys.exit(0 if healthy else 1)
