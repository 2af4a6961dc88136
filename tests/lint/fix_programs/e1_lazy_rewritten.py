from torch.utils.data import DataLoader


def first(count):
    batches = iter(DataLoader([count]))
    return batches.next()


firsts = map(first, [1, 2])
others = (first(count) for count in (3, 4))
print(iter(firsts) is firsts, len([others]))
