# Spawned workers import the program again as __mp_main__: names, arguments and module state are printed.
import multiprocessing
import sys

import torch
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)
STATE = {"changed": False}


class Data(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, i):
        p = multiprocessing.current_process()
        return [i, __name__, p.name, p.daemon, len(sys.argv), STATE["changed"], type(self).__module__, torch.get_num_threads()]


def main():
    STATE["changed"] = True
    for item in DataLoader(Data(), batch_size=None, num_workers=1, multiprocessing_context="spawn"):
        print(item)
    print(multiprocessing.get_start_method(allow_none=True) in (None, "fork", "forkserver"), multiprocessing.active_children())


if __name__ == "__main__":
    main()
