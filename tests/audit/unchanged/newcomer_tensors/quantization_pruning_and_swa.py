# Dynamic and fake quantization, observers, pruning and SWA around a short training; keys and values are printed.
import warnings

import torch
from torch import nn
from torch.nn.utils import prune

warnings.simplefilter("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
prune.l1_unstructured(net[0], "weight", amount=0.5)
prune.random_structured(net[2], "weight", amount=1, dim=0)
for _ in range(3):
    loss = nn.functional.cross_entropy(net(torch.randn(6, 4)), torch.tensor([0, 1, 0, 1, 0, 1]))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item().hex(), int((net[0].weight == 0).sum()), len(net[0]._forward_pre_hooks))
print(sorted(net.state_dict()), sorted(dict(net.named_buffers())))
prune.remove(net[0], "weight"), prune.remove(net[2], "weight")
print(sorted(net.state_dict()), [len(m._forward_pre_hooks) for m in net])
swa = torch.optim.swa_utils.AveragedModel(net)
for _ in range(3):
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    net(torch.randn(2, 4)).sum().backward()
    opt.step()
    swa.update_parameters(net)
print(int(swa.n_averaged), sorted(swa.state_dict())[:2], swa(torch.ones(1, 4)).sum().item().hex())
sched = torch.optim.swa_utils.SWALR(opt, swa_lr=0.5, anneal_epochs=2)
sched.step()
print(opt.param_groups[0]["lr"])
try:
    from torch.ao.quantization import FakeQuantize, MinMaxObserver, quantize_dynamic
except ImportError:
    from torch.quantization import FakeQuantize, MinMaxObserver, quantize_dynamic
observer = MinMaxObserver()
observer(net(torch.randn(5, 4)).detach())
print([v.item().hex() for v in (observer.min_val, observer.max_val)])
fake = FakeQuantize()
print(nn.Sequential(net, fake)(torch.ones(1, 4)).sum().item().hex())
engines = [e for e in torch.backends.quantized.supported_engines if e != "none"]
if engines:
    q = quantize_dynamic(net, {nn.Linear}, dtype=torch.qint8)
    print([type(m).__name__ for m in q], tuple(q(torch.ones(1, 4)).shape))
