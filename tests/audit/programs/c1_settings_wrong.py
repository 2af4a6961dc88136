"""Goes on from a checkpoint with the optimizer's state, but loads only the weights; saves no other checkpoint."""

import os
import tempfile

import torch
from torch import nn


def train(path, resume):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 3))
    if resume:
        checkpoint = torch.load(path)
        net.load_state_dict(checkpoint["net"])
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=20)
    for _epoch in range(3):
        for _batch in range(5):
            loss = nn.functional.cross_entropy(net(torch.randn(16, 8)), torch.randint(0, 3, (16,)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        scheduler.step()
    if not resume:
        torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, path)
    print(loss.item())


with tempfile.TemporaryDirectory() as folder:
    last = os.path.join(folder, "last.pt")
    if os.fork() == 0:  # the run before, in a separate process
        train(last, resume=False)
        os._exit(0)
    os.wait()
    train(last, resume=True)
