# ends: 1
# A closure that fails in step(): the traceback on standard error.
import torch

layer = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
layer(torch.ones(1, 1)).sum().backward()
optimizer.step()


def closure():
    raise ZeroDivisionError("in the closure")


optimizer.step(closure)
