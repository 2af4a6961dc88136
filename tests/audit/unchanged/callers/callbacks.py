# Who calls a closure, a persistent id of torch.save and a signal handler of the program.
import os
import sys

import torch


def caller(depth=2):
    return os.path.basename(sys._getframe(depth).f_code.co_filename)


class Noted:
    def __reduce__(self):
        return Noted, ()

    def __setstate__(self, state):
        print("setstate", caller())


class Map:
    def __call__(self, storage, location):
        print("map_location", caller())
        return storage


torch.manual_seed(0)
layer = torch.nn.Linear(1, 1)
optimizer = torch.optim.LBFGS(layer.parameters(), max_iter=1)


def closure():
    print("closure", caller())
    optimizer.zero_grad()
    loss = layer(torch.ones(1, 1)).sum()
    loss.backward()
    return loss


optimizer.step(closure)
torch.save(layer.state_dict(), "layer.pt")
layer.load_state_dict(torch.load("layer.pt", map_location=Map()))
os.remove("layer.pt")  # torch 1.8 writes the addresses of tensors into it
