# The file size limit is zero: training goes on, every write of the program fails with EFBIG, and no file appears.
import os
import resource
import signal

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Linear(1, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
print(signal.getsignal(signal.SIGXFSZ) == signal.SIG_IGN, flush=True)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
r, w = os.pipe()
pid = os.fork()
if pid == 0:
    os.dup2(w, 1)
    for _ in range(3):
        for x in DataLoader(torch.ones(2, 1)):
            opt.zero_grad()
            net(x).sum().backward()
            opt.step()
    print(net.weight.item().hex(), flush=True)
    try:
        fd = os.open("new", os.O_WRONLY | os.O_CREAT)
        os.write(fd, b"x")
    except OSError as e:
        print(e.errno, flush=True)
    print(sorted(os.listdir(".")), flush=True)
    os._exit(0)
os.close(w)
text = b""
while True:
    part = os.read(r, 1000)
    if not part:
        break
    text += part
status = os.waitpid(pid, 0)[1]
os.remove("new")
for _ in range(3):
    for x in DataLoader(torch.ones(2, 1)):
        opt.zero_grad()
        net(x).sum().backward()
        opt.step()
os._exit(0 if text.split()[1:] == [b"27", b"['new']"] and status == 0 and text.split()[0].decode() == net.weight.item().hex() else 1)
