from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        if index == 1:
            return None
        return index


for sample in DataLoader(Samples(), batch_size=None):
    print(sample)
