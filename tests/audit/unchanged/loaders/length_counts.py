# How often the lengths of a dataset and of a sampler are asked for.
# quick
import torch
from torch.utils.data import DataLoader, Dataset, SequentialSampler

calls = {"dataset": 0, "sampler": 0, "batches": 0}


class Counts(Dataset):
    def __len__(self):
        calls["dataset"] += 1
        return 8

    def __getitem__(self, index):
        return torch.full((2,), float(index))


class Order(SequentialSampler):
    def __len__(self):
        calls["sampler"] += 1
        return 8


data = Counts()
for loader in (
    DataLoader(data, 4),
    DataLoader(data, 4, shuffle=True),
    DataLoader(data, 4, sampler=Order(data)),
):
    for _ in range(2):
        for _ in loader:
            pass
    print(calls)
