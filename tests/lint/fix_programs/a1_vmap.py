import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        out = torch.tanh(x)
        out *= 2
        return out


print(torch.func.vmap(Net())(torch.ones(3, 2)), torch.func.make_fx if hasattr(torch.func, "make_fx") else 0)
print(str(torch.fx.symbolic_trace(Net()).code).count("clone"))
