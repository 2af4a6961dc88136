from torch.utils.data import DataLoader


def peek(loader, old):
    batches = iter(loader)
    return (batches.next()[0] if old else next(batches)[0]), -next(batches).sum()


print(peek(DataLoader([1, 2]), False))
