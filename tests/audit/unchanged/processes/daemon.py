# A job puts itself in the background by a double fork, and trains on when the program has ended.
import os

import torch


def train():
    layer = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(layer(torch.ones(4, 2)), torch.ones(4, 1)).backward()
        optimizer.step()
        yield


reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    os.close(reading)
    null = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    lines = []
    try:
        for number, _ in enumerate(train()):
            lines.append(f"step {number}")
    except BaseException as error:
        lines.append(type(error).__name__)
    os.write(writing, "\n".join(lines).encode())
    os._exit(0)
os.close(writing)
os.wait()
with os.fdopen(reading) as file:
    print(file.read())
