import argparse

from torch.utils.data import DataLoader, RandomSampler


def load(text):
    return DataLoader([text], sampler=RandomSampler([text]), shuffle=True)


parser = argparse.ArgumentParser()
parser.add_argument("--data", type=load, default=None)
print(parser.parse_args([]))
