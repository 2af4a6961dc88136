import numpy as np
from torch.utils.data import DataLoader, Dataset


class Table(Dataset):
    def __init__(self, path):
        self.path, self.table = path, None

    def __len__(self):
        return 100

    def __getitem__(self, index):
        if self.table is None:
            self.table = np.load(self.path)  # BUG
        return self.table[index]


loader = DataLoader(Table("table.npy"), num_workers=4)
