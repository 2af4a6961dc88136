# SIGALRM raises an exception at arbitrary points of a training loop, a loader and a backward pass; all are caught.
import signal
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)


class Timeout(Exception):
    pass


armed = False


def handler(signum, frame):
    if armed:
        raise Timeout


signal.signal(signal.SIGALRM, handler)
sys.unraisablehook = lambda args: None  # an alarm inside a destructor is lost, and comes again
net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=1e-4)
loader = DataLoader(torch.ones(400, 4), batch_size=2)
caught = 0
for delay in [0.001 * k for k in range(1, 31)]:
    armed = True
    signal.setitimer(signal.ITIMER_REAL, delay, 0.5)
    try:
        while True:
            for x in loader:
                opt.zero_grad()
                net(x).sum().backward()
                opt.step()
    except Timeout as e:
        armed = False
        caught += 1
        torch.set_grad_enabled(True)  # the alarm may have come while the optimizer had switched it off
        frames = []
        tb = e.__traceback__
        while tb:
            frames.append(tb.tb_frame.f_code.co_name)
            tb = tb.tb_next
        assert frames[0] == "<module>" and frames[-1] == "handler"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
print(caught, signal.getsignal(signal.SIGALRM) is handler)
torch.manual_seed(1)
lin = nn.Linear(4, 1)
opt = torch.optim.SGD(lin.parameters(), lr=0.1)
for x in loader:
    opt.zero_grad()
    lin(x).sum().backward()
    opt.step()
print(lin.weight.sum().item().hex())
