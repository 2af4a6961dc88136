# A sys.addaudithook of the program counts the files that it opens, processes, sockets and imports while it trains.
# needs: python>=3.8
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Linear(2, 1)
opt = torch.optim.Adam(net.parameters(), lr=0.1)
loader = DataLoader(torch.ones(8, 2), batch_size=2)
counts = {}
on = False


def epoch():
    for x in loader:
        loss = net(x).sum()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        loss.item()


def hook(event, args):
    # An audit hook sees every call of id() and open() in the process, those of dpkb too.
    if on and not event.startswith(("object.", "builtins.id", "sys._getframe")) and "net.pt" in str(args):
        key = event if event != "open" else f"open {args[1]}"
        counts[key] = counts.get(key, 0) + 1


epoch()
sys.addaudithook(hook)
on = True
epoch()
on = False
print(counts)
on = True
torch.save(net.state_dict(), "net.pt")
torch.load("net.pt")
on = False
print({k: v for k, v in counts.items() if k.startswith(("open", "os.", "socket", "subprocess", "shutil", "tempfile"))})
