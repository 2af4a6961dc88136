# A temporary loader is deleted while its iterator goes on.
import gc
import weakref

import torch
from torch.utils.data import DataLoader

gc.disable()


class Loader(DataLoader):
    def __del__(self):
        print("loader is deleted")


loader = Loader([torch.ones(1)] * 4, 2)
kept = weakref.ref(loader)
iterator = iter(loader)
print("first", next(iterator).tolist())
del loader
print("second", next(iterator).tolist(), kept() is None)
