from torch.utils.data import DataLoader


def take(batches):
    return batches.next() if len([batches]) > 1 else next(batches)


print(take(iter(DataLoader([1, 2]))))
