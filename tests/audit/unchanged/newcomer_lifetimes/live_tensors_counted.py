# The number of tensors and parameters alive after every epoch, and the largest of them, as leak hunters count them.
import gc

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
data = torch.randn(12, 4)
loader = DataLoader(data, batch_size=4, shuffle=True)


def alive():
    gc.collect()
    found = [o for o in gc.get_objects() if type(o) in (torch.Tensor, nn.Parameter)]
    return len(found), max(t.numel() for t in found), sum(t.grad_fn is not None for t in found)


print(alive())
for epoch in range(4):
    for x in loader:
        out = net(x)
        loss = nn.functional.cross_entropy(out, torch.zeros(4, dtype=torch.long))
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
    print(epoch, alive())
del x, out, loss
print(alive())
torch.save(net.state_dict(), "n.pt")
torch.load("n.pt")
print(alive())
del net, opt, loader, data
print(gc.collect() >= 0, len([o for o in gc.get_objects() if type(o) in (torch.Tensor, nn.Parameter)]))
