# What a failure in a worker, in collate_fn and in the main process says.
import gc

import torch
from torch.utils.data import DataLoader, Dataset


class Broken(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        if index == 3:
            raise KeyError("no such picture")
        return torch.ones(1)


def collate(samples):
    raise ValueError("cannot be put together")


for arguments in ({"num_workers": 1}, {"num_workers": 0}, {"num_workers": 1, "collate_fn": collate}):
    try:
        for _ in DataLoader(Broken(), 2, **arguments):
            pass
    except Exception as error:
        lines = str(error).split("\n")
        print(
            type(error).__name__,
            [line for line in lines if "File" not in line or ".py" in line and "torch" not in line],
        )
        print(sum("File" in line for line in lines))
    gc.collect()
