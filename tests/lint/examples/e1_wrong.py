from torch.utils.data import DataLoader


def first_batches(dataset, train_loader):
    dataset = DataLoader(dataset, batch_size=4)
    images, labels = iter(dataset).next()  # BUG
    others, _ = train_loader.__iter__().next()  # BUG
    batches = iter(train_loader)
    return images, labels, others, batches.next()  # BUG


def log_losses(model, criterion, batches, history, step):
    total = 0.0
    for x, y in batches:
        loss = criterion(model(x), y)
        total += loss.data[0]  # BUG
        if step % 100 == 0:
            history.append(loss.cpu().data.numpy()[0])  # BUG
    return total
