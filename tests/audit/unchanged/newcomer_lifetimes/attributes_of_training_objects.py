# The names of all attributes of a loader, its iterator, a model, an optimizer, a scheduler and a loss after training.
import torch
from torch import nn
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 1)

    def forward(self, x):
        return self.lin(x)


class Loader(DataLoader):
    pass


model = Net()
opt = torch.optim.Adam(model.parameters())
sched = torch.optim.lr_scheduler.StepLR(opt, 1)
data = TensorDataset(torch.randn(4, 2))
loader = Loader(data, batch_size=2, sampler=RandomSampler(data))
it = iter(loader)
for (x,) in it:
    loss = model(x).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
sched.step()
for o in (loader, it, data, loader.sampler, loader.batch_sampler, model, model.lin, opt, sched):
    print(type(o).__name__, sorted(vars(o)))
for o in (x, loss, model.lin.weight):
    print(type(o).__name__, sorted(vars(o)), o._backward_hooks)
for c in (Loader, Net):
    print(c.__name__, sorted(k for k in vars(c)), c.__mro__[1].__name__)
print({k: len(v) for k, v in vars(model.lin).items() if k.endswith("hooks")})
print({k: len(v) for k, v in vars(opt).items() if k.endswith("hooks")})
