from torch.utils.data import DataLoader

batches = iter(DataLoader([3, 4, 5]))
first = next(batches) or batches.next()
print(first, False and batches.next(), [batches.next() for _ in ()], len([0]))
while first is None:
    first = batches.next()
