"""One iterator, which begins again when it has ended; now and then a batch of another loader to look at."""
import time

import torch
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(0)
    model = torch.nn.Linear(6, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    data = TensorDataset(torch.randn(400, 6), torch.arange(400) % 3)
    loader = DataLoader(data, batch_size=8, shuffle=True, num_workers=2, persistent_workers=True)
    samples = DataLoader(data, batch_size=4, shuffle=True, num_workers=1)
    batches = iter(loader)
    for step in range(240):
        try:
            inputs, labels = next(batches)
        except StopIteration:
            batches = iter(loader)
            inputs, labels = next(batches)
        loss = torch.nn.functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        time.sleep(0.01)  # an accelerator computes
        if step % 20 == 19:
            model(next(iter(samples))[0].detach())


if __name__ == "__main__":
    main()
