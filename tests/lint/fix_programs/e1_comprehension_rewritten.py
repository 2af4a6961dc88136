from torch.utils.data import DataLoader

loader = DataLoader([1, 2, 3])
batches = iter(loader)
print([batches.next() for _ in range(0)], [next(batches).item() for _ in loader])
