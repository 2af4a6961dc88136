# A training step that is called deep in a recursion of the program.
import sys

import torch

layer = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)


def step():
    optimizer.zero_grad()
    layer(torch.ones(1, 1)).sum().backward()
    optimizer.step()


def down(depth):
    return step() if depth == 0 else down(depth - 1)


step()
sys.setrecursionlimit(400)
for depth in (100, 200, 300):
    down(depth)
    print(depth)
