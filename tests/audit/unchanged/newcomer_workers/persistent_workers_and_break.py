# Persistent workers keep their counters over epochs and after an early break; children are counted at each point.
# needs: torch>=1.7
import multiprocessing

import torch
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)


class Data(Dataset):
    def __init__(self):
        self.count = 0

    def __len__(self):
        return 4

    def __getitem__(self, i):
        self.count += 1
        return torch.tensor([i, self.count])


def children():
    return len(multiprocessing.active_children())


def main():
    data = Data()
    loader = DataLoader(data, batch_size=2, num_workers=1, persistent_workers=True, multiprocessing_context="fork")
    for _ in range(2):
        print([b.tolist() for b in loader], children())
    it = iter(loader)
    print(it is iter(loader) or "new", children())
    del it, loader
    print(children(), data.count)
    loader = DataLoader(data, batch_size=2, num_workers=2, multiprocessing_context="fork")
    for _ in loader:
        print(children())
        break
    print(children())
    it = iter(loader)
    next(it)
    print(children())
    del it
    print(children())
    a, b = iter(loader), iter(loader)
    print(next(a).tolist(), next(b).tolist(), children())
    a = None
    print(children())
    b = None
    print(children())


if __name__ == "__main__":
    main()
