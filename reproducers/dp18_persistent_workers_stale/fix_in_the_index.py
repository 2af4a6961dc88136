"""DP18: a setting that the sampler sends along with each index arrives in the right epoch.

The sampler runs in the main process. What it yields is sent to the worker for each batch, so the
setting needs no copy of the dataset.

Symptom: none: sizes 32, 64 and 96 are asked for, and come
Needs:   torch; cpu; about 2 s
Run:     python fix_in_the_index.py; python broken.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset, RandomSampler

epochs = 3


class Photos(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index_and_size):
        index, size = index_and_size  # FIX: the setting comes with every index
        return torch.zeros(3, size, size)


class SizedSampler(RandomSampler):
    size = 32

    def __iter__(self):  # runs in the main process, once per epoch
        return ((index, self.size) for index in super(SizedSampler, self).__iter__())


if __name__ == "__main__":
    dataset = Photos()
    sampler = SizedSampler(dataset)
    loader = DataLoader(dataset, batch_size=4, sampler=sampler, num_workers=2,
                        persistent_workers=True)
    wanted, got = [32, 64, 96], []
    for epoch in range(epochs):
        sampler.size = 32 * (epoch + 1)
        got.append(sorted({batch.shape[-1] for batch in loader}))

    got = [sizes[0] if len(sizes) == 1 else str(sizes) for sizes in got]
    healthy = got == wanted
    print("OBSERVED", json.dumps({"healthy": healthy, "wanted_size_by_epoch": wanted,
                                  "got_size_by_epoch": got}))
    sys.exit(0 if healthy else 1)
