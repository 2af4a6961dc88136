"""Layers that are called within a model and are not of it: a frozen copy, a fixed projection, a learned loss, a copy."""

import copy

import torch
from torch import nn

LOSS_LAYER = nn.Linear(2, 2)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 8), nn.Linear(8, 2)
        self.teacher = [copy.deepcopy(self.body)]

    def forward(self, x):
        with torch.no_grad():
            target = self.teacher[0](x)
        fixed = nn.Linear(8, 8).requires_grad_(False)
        hidden = self.body(x)
        return LOSS_LAYER(self.head(torch.relu(hidden))), (fixed(hidden) - fixed(target)).pow(2).mean()


def main():
    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.SGD([*model.parameters(), *LOSS_LAYER.parameters()], lr=0.1)
    for _ in range(20):
        x, y = torch.randn(16, 4), torch.randint(2, (16,))
        fast = copy.deepcopy(model)
        inner = nn.functional.cross_entropy(fast(x)[0], y)
        gradients = torch.autograd.grad(inner, list(fast.head.parameters()))
        optimizer.zero_grad()
        scores, distance = model(x)
        (nn.functional.cross_entropy(scores, y) + distance + sum(g.sum() for g in gradients) * 0).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
