"""Workers that are fast enough, epochs that are left after 30 batches, and a look at two batches in between."""
import time
from itertools import islice

import torch
from torch.utils.data import DataLoader, Dataset


class Store(Dataset):
    def __len__(self):
        return 4000

    def __getitem__(self, index):
        time.sleep(0.001)
        return torch.full((6,), index / 4000), index % 3


def main():
    model = torch.nn.Linear(6, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    loader = DataLoader(Store(), batch_size=8, num_workers=2, persistent_workers=True, shuffle=True)
    for epoch in range(3):
        for inputs, labels in islice(loader, 30):
            loss = torch.nn.functional.cross_entropy(model(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            time.sleep(0.015)  # an accelerator computes
        for inputs, labels in islice(loader, 2):
            assert len(inputs) == 8


if __name__ == "__main__":
    main()
