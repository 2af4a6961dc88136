# Modules that change their inputs and outputs in place, return views and return their own input.
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Inplace(nn.Module):
    def forward(self, x):
        x.add_(1)
        return x


class View(nn.Module):
    def forward(self, x):
        return x[:, :2]


class Chunks(nn.Module):
    def forward(self, x):
        return x.chunk(2, dim=1)


class Nothing(nn.Module):
    def forward(self, *a, **k):
        return None


lin = nn.Linear(4, 4)
h = lin(torch.randn(3, 4))
same = Inplace()(h)
print(same is h, h._version)
v = View()(h)
v.mul_(3)
print(v._base is h, v._is_view(), h._version, h.grad_fn is not None)
a, b = Chunks()(h)
try:
    a.add_(1)
except RuntimeError as e:
    print("RuntimeError", str(e)[:90])
print(Nothing()(1, k=2), Nothing()())
h.sum().backward()
print([g.item().hex() for g in lin.weight.grad.flatten()[:3]])
with torch.no_grad():
    u = Inplace()(torch.zeros(2))
print(u.tolist(), u.requires_grad)
