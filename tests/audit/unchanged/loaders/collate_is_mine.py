# The objects that a loader and its iterator hold are those of the program.
import torch
from torch.utils.data import DataLoader, IterableDataset


def collate(samples):
    return torch.stack(samples)


class Stream(IterableDataset):
    def __iter__(self):
        return Numbers()


class Numbers:
    def __init__(self):
        self.next = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.next += 1
        if self.next > 5:
            raise StopIteration
        return torch.tensor(self.next)


iterator = iter(DataLoader([torch.ones(1)] * 4, 2, collate_fn=collate))
print(iterator._dataset_fetcher.collate_fn is collate, next(iterator).tolist())
print(sorted(name for name in vars(iterator) if not name.startswith("_is_cuda")) == sorted(vars(iterator)))
stream = iter(DataLoader(Stream(), 2, collate_fn=collate))
print(next(stream).tolist(), type(stream._dataset_fetcher.dataset_iter).__name__)
print(
    [name for name in sorted(vars(stream)) if "torch" not in name and name.count("_") > 1 and "dpkb" in name]
)
