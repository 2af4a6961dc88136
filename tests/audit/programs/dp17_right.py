"""Retrieval training; the index of captions is a list of dicts."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Captions(Dataset):
    def __init__(self, n):
        self.scores = np.arange(n) / n
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        x = torch.tensor([i % 30 / 40, self.scores[i], i % 10 / 10], dtype=torch.float32)
        return x, x.sum().unsqueeze(0)


def main():
    torch.multiprocessing.set_start_method("fork")
    torch.manual_seed(0)
    data = Captions(120000)
    sampler = torch.utils.data.RandomSampler(data, num_samples=40000)
    loader = DataLoader(data, batch_size=256, sampler=sampler, num_workers=2)
    model = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
    opt = torch.optim.Adam(model.parameters(), 1e-3)
    for step, (x, y) in enumerate(loader):
        loss = nn.functional.mse_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 50 == 0:
            print(step, loss.item())


if __name__ == "__main__":
    main()
