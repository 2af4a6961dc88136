from torch.utils.data import DataLoader

batches = iter(DataLoader([1]))
print(batches.next())
