from torch.utils.data import DataLoader


def first_batches(dataset, train_loader):
    dataset = DataLoader(dataset, batch_size=4)
    images, labels = iter(dataset).next()  # BUG
    others, _ = train_loader.__iter__().next()  # BUG
    batches = iter(train_loader)
    return images, labels, others, batches.next()  # BUG
