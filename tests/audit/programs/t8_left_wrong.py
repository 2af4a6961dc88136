"""Two workers that wait for a store; each epoch is left after 20 batches."""
import time
from itertools import islice

import torch
from torch.utils.data import DataLoader, Dataset


class Store(Dataset):
    def __len__(self):
        return 4000

    def __getitem__(self, index):
        time.sleep(0.012)
        return torch.ones(6), index % 3


def main():
    model = torch.nn.Linear(6, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    loader = DataLoader(Store(), batch_size=8, num_workers=2, persistent_workers=True)
    for epoch in range(3):
        for inputs, labels in islice(loader, 20):
            loss = torch.nn.functional.cross_entropy(model(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
