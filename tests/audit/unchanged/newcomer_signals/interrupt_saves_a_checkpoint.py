# A Ctrl-C inside a training loop is caught, a checkpoint is written, and the program ends by the signal itself.
# ends: -2
import os
import signal

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Linear(2, 1)
opt = torch.optim.Adam(net.parameters(), lr=0.1)
step = 0
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
try:
    for x in DataLoader(torch.ones(20, 2), batch_size=2):
        opt.zero_grad()
        net(x).sum().backward()
        opt.step()
        step += 1
        if step == 4:
            os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt as e:
    print("interrupted", step, e.args, e.__context__)
    torch.save({"step": step, "net": net.state_dict()}, "last.pt")
finally:
    print("finally")
print(torch.load("last.pt")["net"]["weight"].tolist() == net.weight.tolist(), flush=True)
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.kill(os.getpid(), signal.SIGINT)
print("never")
