"""A sampler with a state, and two workers that are ahead of the loop; the loop counts, and drops what it has used."""

import os
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Sampler


class Order(Sampler):
    def __init__(self, length):
        self.length, self.epoch, self.used = length, 0, 0

    def __len__(self):
        return self.length - self.used

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.epoch)
        yield from torch.randperm(self.length, generator=generator).tolist()[self.used :]

    def state_dict(self):
        return {"epoch": self.epoch, "used": self.used}

    def load_state_dict(self, state):
        self.epoch, self.used = state["epoch"], state["used"]


class Squares(Dataset):
    def __len__(self):
        return 120

    def __getitem__(self, index):
        number = torch.tensor([index / 120])
        return {"x": number, "y": number**2}


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.RMSprop(model.parameters(), lr=0.001)
    order = Order(120)
    if "--resume" in sys.argv:
        saved = torch.load("last.pt")
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        order.load_state_dict(saved["order"])
    while order.epoch < 3:
        used = order.used
        for batch in DataLoader(Squares(), batch_size=12, sampler=order, num_workers=2):
            loss = nn.functional.mse_loss(model(batch["x"]), batch["y"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            used += len(batch["x"])
            state = {"epoch": order.epoch, "used": used}
            torch.save(
                {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "order": state}, "last.pt"
            )
            if "--stop" in sys.argv and state == {"epoch": 1, "used": 48}:
                os._exit(0)
        order.epoch, order.used = order.epoch + 1, 0


if __name__ == "__main__":
    main()
