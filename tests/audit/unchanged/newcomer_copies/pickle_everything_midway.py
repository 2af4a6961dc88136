# Pickles model, optimizer, scheduler, loader, sampler, dataset and functions of torch in the middle of training.
import io
import pickle
import pickletools

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 5)
data = TensorDataset(torch.randn(6, 2))
loader = DataLoader(data, batch_size=2, sampler=RandomSampler(data))
for i, (x,) in enumerate(loader):
    loss = net(x).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if i == 1:
        saved = pickle.dumps((net, opt, sched, loader, data, loader.batch_sampler, x))
net2, opt2, sched2, loader2, data2, bs2, x2 = pickle.loads(saved)
print([type(o).__name__ for o in (net2, opt2, sched2, loader2, data2, bs2)], x2.shape)
print(sorted({a for op, a, _ in pickletools.genops(saved) if op.name in ("SHORT_BINUNICODE", "BINUNICODE") and "dpkb" in a}))
for (x,) in loader2:
    opt2.zero_grad()
    net2(x).sum().backward()
    opt2.step()
print(net2[0].weight.sum().item().hex(), sorted(vars(opt2)) == sorted(k for k in vars(opt) if k in vars(opt2)))
for f in (F.cross_entropy, torch.save, torch.load, nn.utils.clip_grad_norm_, torch.manual_seed, nn.Linear.forward,
          torch.Tensor.backward, torch.autograd.backward, DataLoader.__iter__, nn.Module.__call__, torch.optim.SGD.step,
          torch.optim.Optimizer.zero_grad, torch.utils.data.default_collate if hasattr(torch.utils.data, "default_collate") else len):
    name = f.__name__
    try:
        print(name, pickle.loads(pickle.dumps(f)) is f)
    except Exception as e:
        print(name, type(e).__name__)
buffer = io.BytesIO()
pickle.Pickler(buffer, protocol=2).dump(net.state_dict())
print(type(pickle.loads(buffer.getvalue())).__name__)
