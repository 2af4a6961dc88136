from torch.utils.data import DataLoader, Dataset


class Lines(Dataset):
    def __init__(self, path, keep_open):
        self.file = None
        if keep_open:
            self.file = open(path)  # BUG
        else:
            self.file = None

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return index


if __name__ == "__main__":
    for batch in DataLoader(Lines("lines.txt", True), num_workers=2, multiprocessing_context="spawn"):
        print(batch)
