# A worker that dies and a worker that is too slow: the errors of the main process and what is left behind.
# needs: torch>=1.8
import multiprocessing
import os
import re
import time

import torch
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)


class Data(Dataset):
    def __init__(self, how):
        self.how = how

    def __len__(self):
        return 2

    def __getitem__(self, i):
        if self.how == "exit":
            os._exit(7)
        if self.how == "kill":
            os.kill(os.getpid(), 9)
        time.sleep(3)
        return i


def main():
    for how, timeout in (("exit", 0), ("kill", 0), ("sleep", 0.5)):
        try:
            for _ in DataLoader(Data(how), num_workers=1, timeout=timeout, multiprocessing_context="fork"):
                print("never")
        except RuntimeError as e:
            print(how, re.sub(r"\d+", "N", str(e))[:120], type(e.__cause__).__name__)
        for p in multiprocessing.active_children():
            p.join(1)
        print(len(multiprocessing.active_children()))


if __name__ == "__main__":
    main()
