# needs: torch>=1.8
# The program sets the start method and the sharing strategy globally; what can be pickled for the worker decides.
import multiprocessing as mp

import torch
import torch.multiprocessing
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)


class Data(Dataset):
    def __init__(self, extra=None):
        self.extra = extra

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return torch.tensor([i])

    def __getstate__(self):
        states.append(sorted(self.__dict__))
        return self.__dict__


states = []


def main():
    print(torch.multiprocessing.get_sharing_strategy(), sorted(torch.multiprocessing.get_all_sharing_strategies()))
    torch.multiprocessing.set_sharing_strategy("file_system")
    mp.set_start_method("spawn")
    try:
        mp.set_start_method("fork")
    except RuntimeError as e:
        print(e)
    print([b.tolist() for b in DataLoader(Data(), num_workers=1)], states)
    for bad in (lambda: 0, (i for i in ())):
        try:
            list(DataLoader(Data(bad), num_workers=1))
        except Exception as e:
            print(type(e).__name__, len(mp.active_children()))
    print(mp.get_start_method(), torch.multiprocessing.get_sharing_strategy())


if __name__ == "__main__":
    main()
