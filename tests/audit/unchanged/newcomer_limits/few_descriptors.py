# A program that lowers the number of open files to what it uses, trains, and lists its descriptors.
import os
import resource

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Linear(1, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)


def fds():
    return sorted(int(f) for f in os.listdir("/proc/self/fd"))[:-1]


def step():
    for x in DataLoader(torch.ones(2, 1)):
        opt.zero_grad()
        net(x).sum().backward()
        opt.step()


print(fds())
step()
print(fds(), os.open(os.devnull, os.O_RDONLY))
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (len(fds()) + 1, hard))
step()
held = []
try:
    while True:
        held.append(os.open(os.devnull, os.O_RDONLY))
except OSError as e:
    print(e.errno, len(held))
step()
try:
    torch.save(net.state_dict(), "x.pt")
except Exception as e:
    print(type(e).__name__)
step()
for fd in held:
    os.close(fd)
torch.save(net.state_dict(), "x.pt")
print(os.path.getsize("x.pt") > 0, net.weight.item().hex())
os.closerange(3, 100)
step()
print(fds(), soft == resource.getrlimit(resource.RLIMIT_NOFILE)[0])
