# stdout and stderr are redirected, replaced, closed and duplicated while a model trains and fails.
# needs: python>=3.11
# ends: 8
import contextlib
import io
import os
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Linear(1, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)


def train(n=2):
    for x in DataLoader(torch.ones(n, 1)):
        opt.zero_grad()
        net(x).sum().backward()
        opt.step()
        print("step")
        print("error", file=sys.stderr)


out, err = io.StringIO(), io.StringIO()
with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
    train()
print(repr(out.getvalue()), repr(err.getvalue()))
r, w = os.pipe()
saved = os.dup(2)
os.dup2(w, 2)
train(1)
os.dup2(saved, 2)
os.close(w)
print(os.read(r, 100))
os.close(r)
old, sys.stderr = sys.stderr, None
try:
    train(1)
except AttributeError as e:
    print(e)
sys.stderr = old


class Counting(io.TextIOBase):
    writes = 0

    def write(self, s):
        Counting.writes += 1
        return len(s)


old, sys.stdout, sys.stderr = (sys.stdout, sys.stderr), Counting(), Counting()
train(3)
sys.stdout, sys.stderr = old
print(Counting.writes)
sys.stdout.flush()
os.close(2)
sys.stdout.write("stderr is closed\n")
sys.exit(8)
