# NumPy and random in forked workers, with and without seeding, with old and new generators; every number is printed.
import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

torch.set_num_threads(1)


class Data(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(4)

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return i, get_worker_info().id, np.random.randint(1000), random.randrange(1000), int(self.rng.integers(1000)), int(torch.randint(1000, (1,)))


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)
    get_worker_info().dataset.rng = np.random.default_rng(seed)


def main():
    for init in (None, seed_worker):
        torch.manual_seed(1), np.random.seed(2), random.seed(3)
        loader = DataLoader(Data(), batch_size=None, num_workers=2, worker_init_fn=init, multiprocessing_context="fork")
        for _ in range(2):
            print([item for item in loader])
        print(np.random.randint(1000), random.randrange(1000), int(torch.randint(1000, (1,))))


if __name__ == "__main__":
    main()
