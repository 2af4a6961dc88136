# Processes of multiprocessing: their exit codes, and what they print at their end.
import atexit
import multiprocessing
import os
import sys

import torch


def train(end):
    atexit.register(print, "atexit is not called in a child", flush=True)
    multiprocessing.util.Finalize(None, print, args=("finalized", end), exitpriority=10)
    layer = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    layer(torch.ones(1, 1)).sum().backward()
    optimizer.step()
    if end == "error":
        sys.stderr = open(os.devnull, "w")
        raise ValueError(end)
    sys.exit({"none": None, "number": 5, "text": 0}[end])


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    for end in ("none", "number", "text", "error"):
        process = context.Process(target=train, args=(end,))
        process.start()
        process.join()
        print(end, process.exitcode, flush=True)
