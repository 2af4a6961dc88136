# Who calls a dataset, in the program and in a worker.
import os
import sys

import torch
from torch.utils.data import DataLoader


class Items:
    def __len__(self):
        return 2

    def __getitem__(self, index):
        frame = sys._getframe(1)
        print([os.path.basename(f.f_code.co_filename) for f in (frame, frame.f_back)][0], flush=True)
        return torch.ones(1)


class Batches(Items):
    def __getitems__(self, indices):
        return [self[index] for index in indices]


for data in (Items(), Batches()):
    for workers in (0, 1):
        for _ in DataLoader(data, 2, num_workers=workers):
            pass
