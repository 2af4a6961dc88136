# What the program finds in its own namespace, in the builtins, in torch's packages and in the warnings registry.
import builtins
import copyreg
import pickle
import sys

import torch
import torch.nn.functional as F
import torch.utils.data
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
before = set(dir(builtins))
net = nn.Linear(1, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x in torch.utils.data.DataLoader(torch.ones(2, 1)):
    net(x).sum().backward()
    opt.step()
print(sorted(set(dir(builtins)) - before), builtins.__import__.__module__, builtins.open.__module__, print.__name__)
for module in (torch, nn, F, torch.optim, torch.utils.data, torch.autograd, torch.Tensor, nn.Module, torch.optim.Optimizer,
               torch.utils.data.DataLoader, torch.nn.utils, torch.serialization):
    print(module.__name__, [k for k in vars(module) if "dpkb" in k.lower() or "audit" in k.lower()],
          sorted({getattr(v, "__module__", "") or "" for v in vars(module).values() if "dpkb" in (getattr(v, "__module__", "") or "")}))
print(sys.flags.interactive, sys.argv[1:], sys.path_hooks[0].__name__, len(copyreg.dispatch_table) > 0, pickle.Pickler.__module__)
print(globals().get("__warningregistry__"), __builtins__ is builtins, __loader__.__class__.__name__, __spec__, __file__[-3:])
print(torch.__name__, torch.__spec__.name, type(torch.__loader__).__name__, type(torch.__spec__.loader).__name__, torch.__package__)
print([type(m.__loader__).__name__ for m in (nn, F, torch.utils.data, torch.optim)])
