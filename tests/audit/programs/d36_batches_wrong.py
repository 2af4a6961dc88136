"""Each rank shuffles the whole dataset, which returns batches at once by __getitems__."""

import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset


class Rows(TensorDataset):
    def __getitems__(self, indices):
        return self.tensors[0][indices], self.tensors[1][indices]


def keep(batch):
    return batch


def train(rank, folder):
    dist.init_process_group("gloo", init_method="file://" + folder + "/ranks", rank=rank, world_size=2,
                            timeout=timedelta(seconds=30))
    x = torch.randn(64, 4, generator=torch.Generator().manual_seed(0))
    data = Rows(x, x.sum(1, keepdim=True))
    torch.manual_seed(rank)
    model = DistributedDataParallel(nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    loader = DataLoader(data, batch_size=8, shuffle=True, drop_last=True, collate_fn=keep)
    for _ in range(2):
        for features, target in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(features), target).backward()
            optimizer.step()

if __name__ == "__main__":
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder,), nprocs=2, start_method="fork")
