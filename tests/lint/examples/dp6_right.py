from torch.utils.data import DataLoader, Dataset


class Lines(Dataset):
    def __init__(self, path):
        self.file = open(path)
        self.lines = len(self.file.readlines())
        self.file.close()
        self.file = None

    def __len__(self):
        return self.lines

    def __getitem__(self, index):
        return index


class LinesOpenedByWorkers(Lines):
    def __init__(self, path):
        self.path, self.file = path, None
        self.file = open(path)
        self.lines = len(self.file.readlines())
        self.file.close()
        del self.file


if __name__ == "__main__":
    for batch in DataLoader(Lines("lines.txt"), num_workers=2, multiprocessing_context="spawn"):
        print(batch)
    for batch in DataLoader(LinesOpenedByWorkers("lines.txt"), num_workers=2, multiprocessing_context="spawn"):
        print(batch)
