# Parametrizations, weight norm, spectral norm and tied weights; counts the calls and prints the state's keys.
# needs: torch>=1.12
import warnings

import torch
from torch import nn
from torch.nn.utils import parametrize

warnings.simplefilter("ignore")
torch.manual_seed(9)
torch.set_num_threads(1)


class Symmetric(nn.Module):
    calls = 0

    def forward(self, x):
        Symmetric.calls += 1
        return (x + x.T) / 2

    def right_inverse(self, w):
        return w.triu()


lin = nn.Linear(3, 3)
parametrize.register_parametrization(lin, "weight", Symmetric())
print(type(lin).__name__, type(lin).__mro__[1].__name__, sorted(lin.state_dict()), Symmetric.calls)
opt = torch.optim.SGD(lin.parameters(), lr=0.1)
for _ in range(3):
    opt.zero_grad()
    lin(torch.randn(2, 3)).sum().backward()
    opt.step()
print(Symmetric.calls, torch.equal(lin.weight, lin.weight.T), Symmetric.calls)
with parametrize.cached():
    lin(torch.ones(1, 3)), lin(torch.ones(1, 3))
print(Symmetric.calls)
wn = nn.utils.weight_norm(nn.Linear(2, 2))
sn = nn.utils.spectral_norm(nn.Linear(2, 2))
(wn(torch.ones(1, 2)) + sn(torch.ones(1, 2))).sum().backward()
print(sorted(wn.state_dict()), sorted(sn.state_dict()), len(wn._forward_pre_hooks), len(sn._forward_pre_hooks))
emb, out = nn.Embedding(4, 3), nn.Linear(3, 4, bias=False)
out.weight = emb.weight
tied = nn.Sequential(emb, out)
adam = torch.optim.Adam(tied.parameters())
for _ in range(2):
    adam.zero_grad()
    tied(torch.tensor([0, 1])).logsumexp(1).sum().backward()
    adam.step()
print(out.weight is emb.weight, len(list(tied.parameters())), emb.weight.sum().item().hex())
