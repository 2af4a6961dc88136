from torch.utils.data import DataLoader, RandomSampler

print(len(DataLoader([0], sampler=RandomSampler([0]), shuffle=True)))
