# A dataset in a worker uses a loader and a small model of its own; counts, seeds and grad mode in the worker are shown.
# needs: torch>=1.10
import multiprocessing

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Inner(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, i):
        return torch.tensor([float(i)])


class Outer(Dataset):
    def __init__(self):
        self.net = nn.Linear(1, 1)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def __len__(self):
        return 2

    def __getitem__(self, i):
        losses = []
        for x in DataLoader(Inner(), batch_size=2, shuffle=True):
            self.opt.zero_grad()
            loss = self.net(x).sum()
            loss.backward()
            self.opt.step()
            losses.append(loss.item().hex())
        return losses, torch.is_grad_enabled(), torch.rand(1).item().hex(), len(multiprocessing.active_children())


def main():
    outer = Outer()
    for workers in (0, 1):
        for item in DataLoader(outer, batch_size=None, num_workers=workers, multiprocessing_context="fork" if workers else None):
            print(workers, *item)
    print(outer.net.weight.item().hex())


if __name__ == "__main__":
    main()
