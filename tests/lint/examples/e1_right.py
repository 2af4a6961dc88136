from torch.utils.data import DataLoader


def first_batches(dataset, reader):
    loader = DataLoader(dataset, batch_size=4)
    images, labels = next(iter(loader))
    rows = iter(reader)
    return images, labels, rows.next()
