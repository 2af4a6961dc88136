# Three threads train their own models with thread-local grad mode; the results are the same as one after the other.
import threading

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.set_num_threads(1)


def train(k, results):
    g = torch.Generator().manual_seed(k)
    net = nn.Linear(2, 1)
    with torch.no_grad():
        net.weight.copy_(torch.randn(1, 2, generator=g))
        net.bias.zero_()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(5):
        for x in DataLoader(torch.ones(4, 2) * k, batch_size=2):
            opt.zero_grad()
            net(x).pow(2).sum().backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
    results[k] = (net.weight.tolist(), torch.is_grad_enabled(), threading.current_thread().name)


serial, parallel = {}, {}
for k in range(3):
    train(k, serial)
with torch.no_grad():
    threads = [threading.Thread(target=train, args=(k, parallel), name=f"t{k}") for k in range(3)]
    [t.start() for t in threads]
    [t.join() for t in threads]
for k in range(3):
    print(serial[k][0] == parallel[k][0], parallel[k][1:], serial[k])


def fail():
    nn.Linear(1, 1)(torch.ones(1, 2))


caught = []
threading.excepthook = lambda args: caught.append((args.exc_type.__name__, args.thread.name))
t = threading.Thread(target=fail, name="failing")
t.start()
t.join()
print(caught, threading.active_count())
