"""Training that is preempted in the middle of an epoch and goes on from its checkpoint."""
import os
import tempfile
import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset


def build():
    model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2))
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    return model, opt


def order(n, epoch):
    return torch.randperm(n, generator=torch.Generator().manual_seed(100 + epoch)).tolist()


def train(data, path, stop_after=None):
    model, opt = build()
    epoch, done, step = 0, 0, 0
    if os.path.exists(path):
        state = torch.load(path)
        model.load_state_dict(state["model"])
        opt.load_state_dict(state["opt"])
        epoch, step, done = state["epoch"], state["step"], state["done"]
        torch.set_rng_state(state["rng"])
    while epoch < 2:
        indices = order(len(data), epoch)
        for x, y in DataLoader(Subset(data, indices), batch_size=8):
            loss = nn.functional.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            step += 1
            done += len(x)
            if step % 5 == 0:
                torch.save({"model": model.state_dict(), "opt": opt.state_dict(), "epoch": epoch, "step": step,
                            "done": done, "rng": torch.get_rng_state()}, path)
            if stop_after and step == stop_after:
                print("preempted at step", step)
                return
        epoch, done = epoch + 1, 0
    print("finished at step", step)


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(80, 6)
    data = TensorDataset(x, (x[:, 0] > 0).long())
    with tempfile.TemporaryDirectory() as folder:
        train(data, os.path.join(folder, "last.pt"), stop_after=5)
        train(data, os.path.join(folder, "last.pt"))
