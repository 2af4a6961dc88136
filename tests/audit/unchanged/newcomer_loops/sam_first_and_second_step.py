# Sharpness-aware minimisation wraps a base optimizer and steps twice a batch; its class has methods of its own.
import torch
from torch import nn

torch.manual_seed(5)
torch.set_num_threads(1)


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kw):
        super().__init__(params, dict(rho=rho, **kw))
        self.base = base(self.param_groups, **kw)
        self.param_groups = self.base.param_groups

    @torch.no_grad()
    def first_step(self):
        norm = torch.stack([p.grad.norm() for g in self.param_groups for p in g["params"]]).norm()
        for group in self.param_groups:
            for p in group["params"]:
                e = p.grad * group["rho"] / (norm + 1e-12)
                p.add_(e)
                self.state[p]["e"] = e
        self.zero_grad()

    @torch.no_grad()
    def second_step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.sub_(self.state[p]["e"])
        self.base.step()
        self.zero_grad()

    @torch.no_grad()
    def step(self, closure=None):
        closure = torch.enable_grad()(closure)
        self.first_step()
        loss = closure()
        self.second_step()
        return loss


model = nn.Linear(3, 1)
opt = SAM(model.parameters(), torch.optim.SGD, lr=0.1, momentum=0.9)
for step in range(5):
    x = torch.randn(6, 3)

    def closure():
        loss = (model(x) - x.mean(1, keepdim=True)).abs().mean()
        loss.backward()
        return loss

    first = closure()
    second = opt.step(closure)
    print(step, first.item().hex(), second.item().hex())
print(sorted(opt.__dict__) == sorted(set(opt.__dict__)), "base" in opt.__dict__, type(opt).__name__)
print(opt)
