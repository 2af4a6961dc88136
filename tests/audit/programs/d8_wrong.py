"""One of two heads is used, without find_unused_parameters."""

import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 1)

    def forward(self, x, which):
        return (self.first if which == 0 else self.second)(torch.relu(self.body(x)))



def train(rank, folder):
    dist.init_process_group("gloo", init_method="file://" + folder + "/ranks", rank=rank, world_size=2,
                            timeout=timedelta(seconds=30))
    torch.manual_seed(0)
    model = DistributedDataParallel(Heads())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(4):
        optimizer.zero_grad()
        model(torch.randn(8, 4), step % 2).pow(2).mean().backward()
        optimizer.step()

if __name__ == "__main__":
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder,), nprocs=2, start_method="fork")
