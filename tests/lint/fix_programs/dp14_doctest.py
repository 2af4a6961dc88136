"""
>>> load([1, 2])
Traceback (most recent call last):
ValueError: sampler option is mutually exclusive with shuffle
"""
import doctest

from torch.utils.data import DataLoader, RandomSampler


def load(data):
    return DataLoader(data, sampler=RandomSampler(data), shuffle=True)


print(doctest.testmod())
