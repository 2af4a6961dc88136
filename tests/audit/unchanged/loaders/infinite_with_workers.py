# A loader that keeps its own iterator, as ultralytics has one: its workers end when it is deleted.
# needs: psutil
import gc
import time

import psutil
import torch
from torch.utils.data import DataLoader, TensorDataset


class Repeat:
    def __init__(self, sampler):
        self.sampler = sampler

    def __iter__(self):
        while True:
            yield from iter(self.sampler)


class Infinite(DataLoader):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        object.__setattr__(self, "batch_sampler", Repeat(self.batch_sampler))
        self.iterator = super().__iter__()

    def __len__(self):
        return len(self.batch_sampler.sampler)

    def __iter__(self):
        for _ in range(len(self)):
            yield next(self.iterator)


gc.disable()
loader = Infinite(TensorDataset(torch.arange(8.0)), 4, num_workers=2)
for _ in range(2):
    print([batch[0].tolist() for batch in loader])
del loader
time.sleep(1)
print("children", len(psutil.Process().children()))
