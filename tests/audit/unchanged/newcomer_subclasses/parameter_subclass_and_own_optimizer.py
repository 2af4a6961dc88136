# An optimizer subclass that never calls super().__init__ and parameters of a subclass; attribute errors are shown.
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Bare(torch.optim.Optimizer):
    def __init__(self, params):
        self.params = list(params)
        self.steps = 0

    def zero_grad(self):
        for p in self.params:
            p.grad = None

    def step(self, closure=None):
        self.steps += 1
        with torch.no_grad():
            for p in self.params:
                p -= 0.1 * p.grad
        return self.steps

    def __getattr__(self, name):
        raise AttributeError("no " + name)


class Duck:
    def __init__(self, params):
        self.params = list(params)

    def step(self):
        with torch.no_grad():
            for p in self.params:
                p.sub_(p.grad, alpha=0.1)


class MyParam(nn.Parameter):
    pass


lin = nn.Linear(2, 1)
lin.weight = MyParam(lin.weight.detach())
for opt in (Bare(lin.parameters()), Duck(lin.parameters())):
    for _ in range(2):
        if hasattr(opt, "zero_grad"):
            opt.zero_grad()
        lin(torch.ones(1, 2)).sum().backward()
        print(type(opt).__name__, opt.step(), lin.weight.tolist(), type(lin.weight).__name__)
opt = Bare(lin.parameters())
for name in ("state", "param_groups", "defaults", "_optimizer_step_pre_hooks"):
    try:
        getattr(opt, name)
    except AttributeError as e:
        print(e)
print(sorted(vars(opt)))
