# Lazy modules become real at their first call; meta modules have no data and are filled in later.
# needs: torch>=2.0
import copy
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(10)
torch.set_num_threads(1)
net = nn.Sequential(nn.LazyConv1d(3, 2), nn.LazyBatchNorm1d(), nn.Flatten(), nn.LazyLinear(2))
print([type(m).__name__ for m in net], [type(p).__name__ for p in net.parameters()])
try:
    copy.deepcopy(net)
    print("copied")
    sum(p.numel() for p in net.parameters())
except (ValueError, RuntimeError) as e:
    print(type(e).__name__, str(e)[:60])
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    out = net(torch.randn(4, 2, 5))
    opt.zero_grad()
    out.sum().backward()
    opt.step()
print([type(m).__name__ for m in net], [tuple(p.shape) for p in net.parameters()], out.sum().item().hex())
print([len(m._forward_pre_hooks) for m in net])
with torch.device("meta"):
    big = nn.Sequential(nn.Linear(10**6, 10**6), nn.Linear(10**6, 3))
y = big(torch.empty(2, 10**6, device="meta"))
print(y.device, tuple(y.shape), y.grad_fn is not None)
y.sum().backward()
print(big[0].weight.grad.device, torch.optim.SGD(big.parameters(), lr=0.1).step())
with torch.device("meta"):
    small = nn.Linear(2, 2)
small.to_empty(device="cpu")
nn.init.ones_(small.weight), nn.init.zeros_(small.bias)
print(small(torch.ones(1, 2)).tolist())
