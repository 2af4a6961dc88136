"""DP18: a wrapper shows which value of a setting the workers see.

It returns the setting with each sample, as the worker's copy of the dataset has it.

Symptom: none: it reports 32 for a plain attribute and 64 for a shared tensor, both set to 64
Needs:   torch; cpu; about 3 s
Run:     python fix_check_setting.py; python broken.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader
from torch.utils.data import Dataset


class WithSetting(Dataset):
    def __init__(self, dataset, name):
        self.dataset, self.name = dataset, name

    def __len__(self):
        return len(self.dataset)

    def __getitem__(self, index):
        return self.dataset[index], int(getattr(self.dataset, self.name))  # FIX: what it sees


class Photos(Dataset):
    def __init__(self, size):
        self.size = size

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.zeros(3, int(self.size), int(self.size))


def seen_by_workers(photos, change):
    loader = DataLoader(WithSetting(photos, "size"), batch_size=4, num_workers=2,
                        persistent_workers=True)
    for _ in loader:
        pass
    change(photos)
    return sorted({size for _, sizes in loader for size in sizes.tolist()})  # dpkb: ignore[DP18]


if __name__ == "__main__":
    attribute = seen_by_workers(Photos(32), lambda photos: setattr(photos, "size", 64))
    shared = torch.tensor(32).share_memory_()
    tensor = seen_by_workers(Photos(shared), lambda photos: photos.size.fill_(64))

    healthy = attribute == [32] and tensor == [64]  # the wrapper shows which of them arrived
    print("OBSERVED", json.dumps({"healthy": healthy, "seen_attribute": attribute,
                                  "seen_shared_tensor": tensor}))
    sys.exit(0 if healthy else 1)
