# Who calls the iterator of a stream, and a sampler.
import os
import sys

import torch
from torch.utils.data import DataLoader, IterableDataset, Sampler


def caller():
    return os.path.basename(sys._getframe(2).f_code.co_filename)


class Numbers:
    def __init__(self):
        self.left = 2

    def __iter__(self):
        return self

    def __next__(self):
        print("next is called from", caller())
        self.left -= 1
        if self.left < 0:
            raise StopIteration
        return torch.ones(1)


class Stream(IterableDataset):
    def __iter__(self):
        print("iter is called from", caller())
        return Numbers()


class Order(Sampler):
    def __init__(self):
        pass

    def __len__(self):
        return 2

    def __iter__(self):
        print("the sampler is called from", caller())
        return iter([0, 1])


for _ in DataLoader(Stream(), 1):
    pass
for _ in DataLoader([1, 2], 1, sampler=Order()):
    pass
