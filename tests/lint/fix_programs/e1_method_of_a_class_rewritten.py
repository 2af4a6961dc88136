from torch.utils.data import DataLoader


class Batches:
    def __init__(self, data):
        self.loader = DataLoader(data)
        self.batches = iter(self.loader)

    def again(self):
        return self.batches.next()

    def size(self):
        return len(self.loader)


batches = Batches([1, 2])
print(batches.size())
