"""An error in a thread ends only that thread."""
import threading

import torch
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

data = TensorDataset(torch.arange(8))
loaders = []
threading.excepthook = lambda args: print(args.exc_type.__name__)


def load():
    loaders.append(DataLoader(data, sampler=RandomSampler(data), shuffle=True))


thread = threading.Thread(target=load)
thread.start()
thread.join()
print(len(loaders))
