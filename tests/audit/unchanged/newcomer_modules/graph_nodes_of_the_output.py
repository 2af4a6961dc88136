# The names of the autograd nodes behind a model's output, walked from the loss to the leaves.
# needs: torch>=2.0
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x, scale=1.0):
        return self.act(self.lin(x)) * scale


def walk(fn, depth=0):
    print("  " * depth + type(fn).__name__.rstrip("0123456789"))
    for nxt, _ in fn.next_functions:
        if nxt is not None:
            walk(nxt, depth + 1)


model = nn.Sequential(Block(), Block(), nn.Dropout(0.0))
x = torch.randn(2, 3, requires_grad=True)
out = model(x)
walk(out.mean().grad_fn)
print(out._version, x._version, out._backward_hooks, out.is_leaf, out.retains_grad)
out.mul_(2)  # in place on the output of a module
out += 1
out[:, 0] = 0
out.sum().backward()
print(x.grad.tolist(), out._version)
