# The order of finalizers, atexit functions and threads at the end of a program. Whether __del__ is called for what
# still exists then, Python leaves open.
import atexit
import threading
import weakref

import torch
from torch.utils.data import DataLoader


class Model(torch.nn.Linear):
    def __del__(self):
        print("del of the model")


atexit.register(print, "atexit, registered first")
model = Model(2, 1)
weakref.finalize(model, print, "finalize")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in DataLoader(torch.ones(4, 2), 2, num_workers=1):
    optimizer.zero_grad()
    model(x).sum().backward()
    optimizer.step()
threading.Thread(target=lambda: print("thread")).start()
atexit.register(print, "atexit, registered last")
del model, optimizer
