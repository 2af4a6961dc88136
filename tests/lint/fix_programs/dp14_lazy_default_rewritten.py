from torch.utils.data import DataLoader, RandomSampler


def load(data=None):
    data = data or [1, 2, 3]
    return DataLoader(data, shuffle=True, sampler=RandomSampler(data))


loaders = (load() for _ in range(2))
print(len([loaders]))
