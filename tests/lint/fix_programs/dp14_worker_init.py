"""No batch is ever read, so nobody hears of the error in the worker."""
import time

from torch.utils.data import DataLoader, RandomSampler


def worker_init_fn(worker):
    DataLoader([0], sampler=RandomSampler([0]), shuffle=True)
    print("worker", worker, flush=True)


batches = iter(DataLoader([0, 1], num_workers=1, worker_init_fn=worker_init_fn))
time.sleep(1)
print("main")
