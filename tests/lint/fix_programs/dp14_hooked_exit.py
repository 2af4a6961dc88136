import os
import sys

from torch.utils.data import DataLoader, RandomSampler


def quiet(*error):
    print("refused")
    sys.stdout.flush()
    os._exit(0)


import runpy

try:
    DataLoader([1], sampler=RandomSampler([1]), shuffle=True)
except BaseException as error:
    quiet(error)
print("accepted")
