from torch.utils.data import DataLoader


def first_batches(dataset, reader):
    loader = DataLoader(dataset, batch_size=4)
    images, labels = next(iter(loader))
    rows = iter(reader)
    return images, labels, rows.next()


def log_losses(losses, loss, found, torch):
    if torch.__version__ < "0.4":
        return loss.data[0]
    return losses.data[0], loss.data, found.data[0], losses[0]
