from library import read
from torch.utils.data import DataLoader, Dataset


class Cached(Dataset):
    def __init__(self, files, keep=True):
        self.files = files
        self.cache = {} if keep else None  # BUG
        self.images = [None for _ in files]  # BUG

    def __getitem__(self, index):
        if self.cache is None:
            return read(self.files[index])
        if index not in self.cache:
            self.cache[index] = read(self.files[index])
        if self.images[index] is None:
            self.images[index] = read(self.files[index])
        return self.cache[index], self.images[index]

    def __len__(self):
        return len(self.files)


loader = DataLoader(Cached(["a.png", "b.png"]), num_workers=2)
