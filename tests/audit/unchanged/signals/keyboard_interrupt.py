# Ctrl-C at many moments: each KeyboardInterrupt arrives, and a handler of the program may replace it for a while.
import _thread
import threading
import time

import torch
from torch.utils.data import DataLoader

model = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(10)])
optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
data = [torch.ones(4) for _ in range(16)]
arrived = 0
for number in range(60):
    threading.Timer(0.001 + 0.0001 * number, _thread.interrupt_main).start()
    try:
        until = time.monotonic() + 10
        while time.monotonic() < until:
            for x in DataLoader(data, 4):
                optimizer.zero_grad()
                torch.nn.functional.l1_loss(model(x), x).backward()
                optimizer.step()
    except KeyboardInterrupt:
        arrived += 1
print("arrived", arrived)
