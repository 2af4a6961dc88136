import random
import uuid

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self, paths, seed=0):
        self.paths = paths
        random.Random(seed).shuffle(self.paths)

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return self.paths[index] if torch.rand(()) < 0.5 else None or self.paths[0]


def seed_worker(worker_id):
    worker_seed = torch.initial_seed() % 2**32
    np.random.seed(worker_seed)
    random.seed(worker_seed)


def build(args, paths):
    return DataLoader(Images(paths), num_workers=args.workers, worker_init_fn=seed_worker)


def worker_init_reset_seed(worker_id):
    seed = uuid.uuid4().int % 2**32
    np.random.seed(seed)
    torch.manual_seed(seed)


def worker_init(worker_id, seed):
    start = torch.utils.data.get_worker_info().seed
    np.random.seed((start + seed) % 2**32)
