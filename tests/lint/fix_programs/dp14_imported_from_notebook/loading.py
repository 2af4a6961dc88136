from torch.utils.data import DataLoader, RandomSampler


def load(data):
    return DataLoader(data, sampler=RandomSampler(data), shuffle=True)
