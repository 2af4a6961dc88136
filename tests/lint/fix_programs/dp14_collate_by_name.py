"""The second batch is never read: its error is lost in the worker."""
import time

from torch.utils.data import DataLoader, RandomSampler


def collate_fn(samples):
    if samples[0] == 1:
        DataLoader([0], sampler=RandomSampler([0]), shuffle=True)
        print("collated", flush=True)
    return samples


loader = DataLoader([0, 1], 1, num_workers=1, collate_fn=collate_fn)
print(next(iter(loader)), flush=True)
time.sleep(1)
