# os.fork in the middle of training: children that train on, exit by os._exit, by an exception and by the end of a function.
# needs: torch>=1.10
import os
import sys

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Linear(1, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)


def step():
    opt.zero_grad()
    net(torch.ones(1, 1)).sum().backward()
    opt.step()
    return net.weight.item().hex()


print(step(), flush=True)
for how in ("train", "exit", "raise"):
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(r)
        if how == "train":
            os.write(w, step().encode())
            os._exit(0)
        if how == "exit":
            os.write(w, b"leaving")
            os._exit(3)
        os.close(2)
        os.open(os.devnull, os.O_WRONLY)
        os.write(w, b"raising")
        raise SystemExit(4)
    os.close(w)
    with os.fdopen(r) as f:
        text = f.read()
    status = os.waitpid(pid, 0)[1]
    print(how, text, os.WIFEXITED(status), os.WEXITSTATUS(status), flush=True)
print(step())
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError as e:
    print("no child left", e.errno)
print(sorted(int(f) for f in os.listdir("/proc/self/fd"))[:3], len(os.listdir("/proc/self/task")) >= 1, len(sys.argv))
