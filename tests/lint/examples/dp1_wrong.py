import random

import numpy as np
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self, paths, seed=0):
        self.paths = paths
        self.rng = random.Random(seed)  # BUG

    def __len__(self):
        return len(self.paths)

    def _augment(self, image):
        return image if self.rng.random() < 0.5 else image[::-1]

    def __getitem__(self, index):
        return self._augment(self.paths[index])


def seed_worker(worker_id):
    np.random.seed(worker_id)  # BUG


def build(args, paths):
    dataset = Images(paths)
    return (DataLoader(dataset, num_workers=args.workers),
            DataLoader(paths, num_workers=4, worker_init_fn=seed_worker))
