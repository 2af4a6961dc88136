# ends: 1
# A dataset that fails in the main process: the traceback on standard error.
import torch
from torch.utils.data import DataLoader


class Broken:
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return torch.ones(2)[index + 5]


for _ in DataLoader(Broken(), 2):
    pass
