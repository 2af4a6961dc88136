# Trains six epochs at once and in two halves with a checkpoint of everything; the weights must be bit-equal.
# needs: torch>=1.13
import inspect
import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)


def build():
    torch.manual_seed(0), random.seed(0), np.random.seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.3), nn.ReLU(), nn.Linear(4, 1))
    opt = torch.optim.AdamW(net.parameters(), lr=0.05)
    sched = torch.optim.lr_scheduler.StepLR(opt, 2, 0.5)
    data = TensorDataset(torch.randn(12, 3), torch.randn(12, 1))
    return net, opt, sched, DataLoader(data, batch_size=4, shuffle=True)


def epochs(n, net, opt, sched, loader):
    for _ in range(n):
        for x, y in loader:
            x = x + random.random() + torch.from_numpy(np.random.randn(1)).float()
            loss = nn.functional.mse_loss(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        sched.step()
    return [p.detach().clone() for p in net.parameters()]


whole = epochs(6, *build())
net, opt, sched, loader = build()
epochs(3, net, opt, sched, loader)
torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "sched": sched.state_dict(),
            "rng": (torch.get_rng_state(), random.getstate(), np.random.get_state())}, "half.pt")
net, opt, sched, loader = build()
kw = {"weights_only": False} if "weights_only" in inspect.signature(torch.load).parameters else {}
ckpt = torch.load("half.pt", **kw)
net.load_state_dict(ckpt["net"]), opt.load_state_dict(ckpt["opt"]), sched.load_state_dict(ckpt["sched"])
torch.set_rng_state(ckpt["rng"][0]), random.setstate(ckpt["rng"][1]), np.random.set_state(ckpt["rng"][2])
half = epochs(3, net, opt, sched, loader)
print([torch.equal(a, b) for a, b in zip(whole, half)])
print([a.double().sum().item().hex() for a in whole])
