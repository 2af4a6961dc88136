import torch
from torch import nn


class Tree(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.below = Tree(depth - 1) if depth else None
        self.depth = depth

    def forward(self, x):
        out = torch.relu(self.fc(x))
        out += self.depth
        return out if self.below is None else self.below(out)


torch.manual_seed(0)
net = Tree(40)
with torch.no_grad():
    print(net(torch.ones(1, 2)), len(list(net.parameters())))
