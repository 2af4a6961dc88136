from torch.utils.data import DataLoader

batches = iter(DataLoader([1, 2]))
print(batches.next())
