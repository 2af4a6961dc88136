"""Streams of different lengths: one rank has a batch more."""

import tempfile
from datetime import timedelta
from itertools import islice

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, IterableDataset


class Lines(IterableDataset):
    def __init__(self, rank):
        self.rank, self.count = rank, 40 + 8 * rank

    def __iter__(self):
        return (torch.randn(4) + self.rank for _ in range(self.count))



def train(rank, folder):
    dist.init_process_group("gloo", init_method="file://" + folder + "/ranks", rank=rank, world_size=2,
                            timeout=timedelta(seconds=30))
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    torch.manual_seed(rank)
    loader = DataLoader(Lines(rank), batch_size=8)
    for _ in range(2):
        for x in islice(loader, 100):
            optimizer.zero_grad()
            model(x).pow(2).mean().backward()
            optimizer.step()

if __name__ == "__main__":
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder,), nprocs=2, start_method="fork")
