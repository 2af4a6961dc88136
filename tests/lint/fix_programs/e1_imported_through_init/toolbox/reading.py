from torch.utils.data import DataLoader


def first():
    batches = iter(DataLoader([1]))
    return batches.next()
