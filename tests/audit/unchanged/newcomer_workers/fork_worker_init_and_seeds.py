# Forked workers with a worker_init_fn and a generator: ids, seeds and random numbers of every worker in two epochs.
import random

import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

torch.set_num_threads(1)
extra = {}


def init(worker_id):
    extra["init"] = worker_id
    random.seed(torch.initial_seed() % 2**32)


class Data(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        info = get_worker_info()
        return (i, info.id, info.num_workers, info.seed, torch.rand(1).item().hex(), random.random().hex(), extra["init"])


def main():
    g = torch.Generator().manual_seed(5)
    loader = DataLoader(
        Data(), batch_size=None, num_workers=2, shuffle=True, worker_init_fn=init, generator=g, multiprocessing_context="fork"
    )
    for epoch in range(2):
        for item in loader:
            print(epoch, *item)
    print(get_worker_info(), extra, g.initial_seed(), torch.rand(1, generator=g).item().hex())


if __name__ == "__main__":
    main()
