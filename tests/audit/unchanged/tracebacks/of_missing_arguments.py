# What a call with a missing argument says.
import torch
import torch.nn.functional as F

CALLS = {
    "save": lambda: torch.save(1),
    "load": lambda: torch.load(),
    "cross_entropy": lambda: F.cross_entropy(torch.ones(1, 2)),
    "dropout": lambda: F.dropout(),
    "dropout of what": lambda: F.dropout(torch.ones(1), probability=0.5),
    "clip": lambda: torch.nn.utils.clip_grad_norm_([]),
    "clip value": lambda: torch.nn.utils.clip_grad_value_(),
    "register_hook": lambda: torch.ones(1, requires_grad=True).register_hook(),
    "load_state_dict": lambda: torch.nn.Linear(1, 1).load_state_dict(),
    "zero_grad": lambda: torch.nn.Linear(1, 1).zero_grad(True, 2, 3),
    "step": lambda: torch.optim.SGD(torch.nn.Linear(1, 1).parameters(), lr=0.1).step(1, 2, 3),
    "sgd": lambda: torch.optim.SGD(),
    "grad": lambda: torch.autograd.grad(),
    "script": lambda: torch.jit.script(),
}
for name, call in CALLS.items():
    try:
        call()
        print(name, "is right")
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0])
