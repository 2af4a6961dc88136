"""Workers that take long to start, in each of several short epochs that are left before their end."""
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Table(Dataset):
    def __len__(self):
        return 100_000

    def __getitem__(self, index):
        return torch.full((6,), index / 100_000), index % 3


def read_table(worker):
    time.sleep(0.5)


def main():
    model = torch.nn.Linear(6, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    loader = DataLoader(Table(), batch_size=8, num_workers=2, worker_init_fn=read_table)
    for epoch in range(4):
        for step, (inputs, labels) in enumerate(loader):
            loss = torch.nn.functional.cross_entropy(model(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            time.sleep(0.005)  # an accelerator computes
            if step == 30:
                break


if __name__ == "__main__":
    main()
