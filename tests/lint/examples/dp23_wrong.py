from library import read
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __getitem__(self, index):
        image = read(index)
        if image is None:
            return None, None  # BUG
        return image, index

    def __len__(self):
        return 10


loader = DataLoader(Pairs(), batch_size=2)
