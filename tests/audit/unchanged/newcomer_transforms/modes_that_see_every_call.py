# A function mode and a dispatch mode list every call of one training step; also saved-tensor hooks and flop counts.
# needs: torch>=2.0
import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1, foreach=False)
loader = torch.utils.data.DataLoader(torch.ones(4, 2), batch_size=2)


def step(x):
    loss = nn.functional.mse_loss(net(x), torch.zeros(len(x), 1))
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0, foreach=False)
    opt.step()
    return loss


class Functions(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        log.append(getattr(func, "__name__", str(func)))
        return func(*args, **(kwargs or {}))


class Ops(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        log.append(str(func))
        return func(*args, **(kwargs or {}))


for mode in (Functions, Ops):
    log = []
    with mode():
        for x in loader:
            step(x)
    print(mode.__name__, len(log), sorted(set(log)))
    print(log[:40])
packed = []
with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(tuple(t.shape)) or t, lambda t: t):
    step(torch.ones(2, 2))
print(packed)
from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

with FlopCounterMode(display=False) as flops:
    step(torch.ones(2, 2))
print(flops.get_total_flops())
