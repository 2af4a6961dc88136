# A custom autograd function and activation checkpointing; the order of forward, recomputation and backward is printed.
import warnings

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

warnings.simplefilter("ignore")
torch.manual_seed(12)
torch.set_num_threads(1)
log = []


class Clamp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, low):
        log.append("clamp forward")
        ctx.save_for_backward(x)
        ctx.low = low
        return x.clamp(min=low)

    @staticmethod
    def backward(ctx, g):
        log.append("clamp backward")
        (x,) = ctx.saved_tensors
        return g * (x > ctx.low), None


class Block(nn.Module):
    def __init__(self, name):
        super().__init__()
        self.name, self.lin, self.drop = name, nn.Linear(3, 3), nn.Dropout(0.5)

    def forward(self, x):
        log.append(f"{self.name} {torch.is_grad_enabled()}")
        return self.drop(Clamp.apply(self.lin(x), 0.0))


blocks = nn.ModuleList([Block("a"), Block("b")])
opt = torch.optim.SGD(blocks.parameters(), lr=0.1)
for step in range(2):
    log.clear()
    x = torch.randn(4, 3, requires_grad=True)
    h = x
    for b in blocks:
        h = checkpoint(b, h)
    opt.zero_grad()
    h.pow(2).sum().backward()
    opt.step()
    print(log)
    print(x.grad.sum().item().hex(), torch.rand(1).item().hex())
x = torch.ones(2, dtype=torch.double, requires_grad=True)
print(torch.autograd.gradcheck(lambda t: Clamp.apply(t, 0.5), (x,)))
