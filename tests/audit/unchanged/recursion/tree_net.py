# A recursive module that is nearly as deep as Python allows: how deep it gets.
# quick
import sys

import torch

sys.setrecursionlimit(600)


class Tree(torch.nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layer = torch.nn.Identity()
        self.depth = depth

    def forward(self, x, depth=None):
        depth = self.depth if depth is None else depth
        return x if depth == 0 else self(self.layer(x) + 1, depth - 1)


model = Tree(130)
model.register_forward_hook(lambda module, inputs, output: None)
print(model(torch.zeros(1)).item())
