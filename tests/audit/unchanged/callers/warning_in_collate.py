# A collate_fn and a dataset that warn about their caller.
import warnings

import torch
from torch.utils.data import DataLoader


class Items:
    def __len__(self):
        return 2

    def __getitem__(self, index):
        warnings.warn("dataset", stacklevel=2)
        return torch.ones(1)


def collate(samples):
    warnings.warn("collate", stacklevel=2)
    return torch.stack(samples)


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in DataLoader(Items(), 2, collate_fn=collate):
        pass
print([(str(warning.message), warning.filename.rsplit("/", 3)[1:]) for warning in caught])
