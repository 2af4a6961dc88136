"""DP18: a new DataLoader has new workers, which know the new setting.

New workers copy the dataset as it is when the loader is first iterated.

Symptom: none: sizes 32, 64 and 96 are asked for, and come
Needs:   torch; cpu; about 2 s
Run:     python fix_new_loader.py; python broken.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

epochs = 3


class Photos(Dataset):
    def __init__(self):
        self.size = 32  # grows during training

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.zeros(3, self.size, self.size)


if __name__ == "__main__":
    dataset = Photos()
    wanted, got = [32, 64, 96], []
    for epoch in range(epochs):
        dataset.size = 32 * (epoch + 1)
        loader = DataLoader(dataset, batch_size=4, num_workers=2,
                            persistent_workers=True)  # FIX: new workers, with the new setting
        got.append(sorted({batch.shape[-1] for batch in loader}))

    got = [sizes[0] if len(sizes) == 1 else str(sizes) for sizes in got]
    healthy = got == wanted
    print("OBSERVED", json.dumps({"healthy": healthy, "wanted_size_by_epoch": wanted,
                                  "got_size_by_epoch": got}))
    sys.exit(0 if healthy else 1)
