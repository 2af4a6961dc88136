# The working folder, the home and the temporary folder are removed or read-only while a model trains.
import os
import shutil
import tempfile

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Linear(1, 1)
opt = torch.optim.Adam(net.parameters(), lr=0.1)


def step():
    for x in DataLoader(torch.ones(2, 1)):
        opt.zero_grad()
        net(x).sum().backward()
        opt.step()
    return net.weight.item().hex()


start = os.getcwd()
print(step())
os.makedirs("gone/deep")
os.chdir("gone/deep")
shutil.rmtree(os.path.join(start, "gone"))
print(step())
try:
    os.getcwd()
except FileNotFoundError as e:
    print(e.errno)
os.chdir(start)
os.umask(0o777)
print(step(), oct(os.umask(0o022)))
os.environ.clear()
print(step(), len(os.environ))
os.environ["TMPDIR"] = os.path.join(start, "no/such")
os.environ["HOME"] = "/nonexistent"
tempfile.tempdir = None
print(step(), tempfile.tempdir, os.path.expanduser("~"), sorted(os.listdir(".")))
tempfile.tempdir = "/nonexistent"
print(step())
