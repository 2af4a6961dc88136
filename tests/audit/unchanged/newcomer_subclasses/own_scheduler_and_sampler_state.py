# A scheduler subclass with closed form and state, and a resumable sampler whose state is read in the middle of an epoch.
import torch
from torch.optim.lr_scheduler import LambdaLR, StepLR
from torch.utils.data import DataLoader, Sampler

torch.set_num_threads(1)


class Warmup(StepLR):
    calls = 0

    def get_lr(self):
        Warmup.calls += 1
        if self.last_epoch < 3:
            return [b * (self.last_epoch + 1) / 3 for b in self.base_lrs]
        return super().get_lr()

    def step(self, *args):
        super().step(*args)
        return self.last_epoch


class Resumable(Sampler):
    def __init__(self, n):
        self.n, self.position, self.iterations = n, 0, 0

    def __len__(self):
        return self.n - self.position

    def __iter__(self):
        self.iterations += 1
        while self.position < self.n:
            self.position += 1
            yield self.position - 1
        self.position = 0

    def state_dict(self):
        return {"position": self.position, "iterations": self.iterations}


p = torch.nn.Parameter(torch.ones(1))
opt = torch.optim.SGD([p], lr=0.3)
sched = Warmup(opt, 2, 0.1)
sampler = Resumable(6)
loader = DataLoader(range(6), batch_size=2, sampler=sampler)
for epoch in range(2):
    for batch in loader:
        p.grad = torch.ones(1)
        opt.step()
        print(batch.tolist(), sampler.state_dict(), len(sampler), len(loader), sched.step(), round(opt.param_groups[0]["lr"], 6))
print(Warmup.calls, sorted(sched.state_dict()))
lam = LambdaLR(opt, lr_lambda=[lambda e: 0.5])
print(lam.state_dict()["lr_lambdas"], lam.get_last_lr())
