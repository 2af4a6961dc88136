# quick
# SIGTERM: the handler saves and exits.
# ends: 3
import atexit
import os
import signal
import sys
import threading

import torch


def save_and_exit(number, frame):
    print("saving")
    torch.save(torch.ones(2), "x.pt")
    sys.exit(3)


signal.signal(signal.SIGTERM, save_and_exit)
atexit.register(lambda: print("atexit", torch.load("x.pt").tolist()))
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGTERM)).start()
while True:
    optimizer.zero_grad()
    model(torch.ones(2, 2)).sum().backward()
    optimizer.step()
