# sys.setprofile, sys.settrace and cProfile see the calls of the program's own functions, in the same order and number.
import cProfile
import pstats
import sys
import threading

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Data(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.ones(2) * i


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 1)

    def forward(self, x):
        return self.lin(x)


def collate(items):
    return torch.stack(items)


def train():
    for x in loader:
        opt.zero_grad()
        net(x).sum().backward()
        opt.step()


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loader = DataLoader(Data(), batch_size=2, collate_fn=collate)
calls = []


def profiler(frame, event, arg):
    if event == "call" and frame.f_code.co_filename == __file__:
        calls.append(frame.f_code.co_name)


def tracer(frame, event, arg):
    if frame.f_code.co_filename != __file__:
        return None
    calls.append((event, frame.f_lineno))
    return tracer


sys.setprofile(profiler)
train()
print(sys.getprofile() is profiler)
sys.setprofile(None)
print(calls)
calls.clear()
sys.settrace(tracer)
train()
print(sys.gettrace() is tracer)
sys.settrace(None)
print(len(calls), calls[:12])
p = cProfile.Profile()
p.runcall(train)
stats = pstats.Stats(p).stats
print(sorted((k[2], v[0], v[1]) for k, v in stats.items() if k[0] == __file__))
print(sorted({(k[2], v[1]) for k, v in stats.items() if k[0].endswith(("torch/optim/sgd.py", "torch/utils/data/sampler.py", "utils/data/dataloader.py"))}))
print(threading._trace_hook, threading._profile_hook)
