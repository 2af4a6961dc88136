# Workers that are killed, and that exit.
import os
import signal

import torch
from torch.utils.data import DataLoader


class Dies:
    def __init__(self, how):
        self.how = how

    def __len__(self):
        return 8

    def __getitem__(self, index):
        if index == 5:
            self.how()
        return torch.ones(2)


def kill():
    os.kill(os.getpid(), signal.SIGKILL)


for how in (kill, lambda: os._exit(3)):
    try:
        for _ in DataLoader(Dies(how), 2, num_workers=2):
            pass
    except RuntimeError as error:
        print(str(error)[:24])
