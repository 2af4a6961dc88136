"""Two workers that wait for a store, and a model that is done at once; one long epoch."""
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Store(Dataset):
    def __len__(self):
        return 320

    def __getitem__(self, index):
        time.sleep(0.012)
        return torch.ones(6), index % 3


def main():
    model = torch.nn.Linear(6, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    for inputs, labels in DataLoader(Store(), batch_size=8, num_workers=2):
        loss = torch.nn.functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
