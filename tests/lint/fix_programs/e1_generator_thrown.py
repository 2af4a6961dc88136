from torch.utils.data import DataLoader


class Reader:
    def __len__(self):
        batches = iter(DataLoader([1]))
        return int(batches.next())

    def __iter__(self):
        return iter([1, 2])

    def __bool__(self):
        return True


class Finder:
    def __getattribute__(self, name):
        batches = iter(DataLoader([1]))
        return batches.next()


print(hasattr(Finder(), "size"), getattr(Finder(), "size", "none"), bool(Reader()))
