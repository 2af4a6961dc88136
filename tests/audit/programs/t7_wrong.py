"""Two workers, each batch of which takes nearly four steps to read: two batches at once, then a wait."""
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Share(Dataset):
    def __len__(self):
        return 96

    def __getitem__(self, index):
        time.sleep(0.025)
        return torch.ones(8), float(index)


def main():
    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-5)
    loader = DataLoader(Share(), batch_size=4, num_workers=2, persistent_workers=True)
    for epoch in range(2):
        for inputs, targets in loader:
            loss = (model(inputs).squeeze(1) - targets.float()).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            time.sleep(0.027)  # an accelerator computes


if __name__ == "__main__":
    main()
