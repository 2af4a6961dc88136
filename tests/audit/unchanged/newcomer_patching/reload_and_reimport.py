# Reloads modules of torch and of the program; classes and functions before and after are compared.
# needs: torch>=2.0
import importlib
import sys
import types

import torch
import torch.utils.data
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
old = torch.utils.data.DataLoader
print(importlib.reload(torch.utils.data).DataLoader is old)
sampler = importlib.import_module("torch.utils.data.sampler")
before = sampler.RandomSampler
importlib.reload(sampler)
print(sampler.RandomSampler is before, torch.utils.data.RandomSampler is before)
helper = types.ModuleType("helper")
exec("def double(x):\n    return 2 * x\n", helper.__dict__)
sys.modules["helper"] = helper
import helper as again  # noqa: E402

print(again.double(2), again is helper, again.__spec__)
was = torch.optim.SGD
sgd = sys.modules["torch.optim.sgd"]
importlib.reload(sgd)
print(torch.optim.SGD is was, sgd.SGD is was)
lin = nn.Linear(1, 1)
for cls in (was, sgd.SGD):
    opt = cls(lin.parameters(), lr=0.1)
    for x in old(torch.ones(2, 1)):
        opt.zero_grad()
        lin(x).sum().backward()
        opt.step()
    print(lin.weight.item().hex())
print(importlib.util.find_spec("no_such_module_at_all"))
try:
    import no_such_module_at_all  # noqa: F401
except ImportError as e:
    print(type(e).__name__, e, e.name, e.path)
