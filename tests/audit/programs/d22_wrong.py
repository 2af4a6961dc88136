"""Each rank skips the batches that are not finite on its own."""

import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def train(rank, folder):
    dist.init_process_group("gloo", init_method="file://" + folder + "/ranks", rank=rank, world_size=2,
                            timeout=timedelta(seconds=30))
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    data = torch.randn(32, 4)
    data[5] = float("nan")
    data = TensorDataset(data)
    loader = DataLoader(data, batch_size=4, sampler=DistributedSampler(data, shuffle=False))
    for _ in range(2):
        for (x,) in loader:
            bad = (~torch.isfinite(x)).any().float()
            if bad:
                continue
            optimizer.zero_grad()
            model(x).pow(2).mean().backward()
            optimizer.step()

if __name__ == "__main__":
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder,), nprocs=2, start_method="fork")
