# Mixed precision on the CPU; prints the dtypes inside and outside of autocast and the loss as bits.
# needs: torch>=1.10
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(6)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.norm, self.b = nn.Linear(4, 8), nn.LayerNorm(8), nn.Linear(8, 2)

    def forward(self, x):
        h = self.a(x)
        n = self.norm(h)
        o = self.b(n)
        self.seen = (x.dtype, h.dtype, n.dtype, o.dtype)
        return o


model = Net()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    x, y = torch.randn(8, 4), torch.randint(2, (8,))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = model(x)
        loss = nn.functional.cross_entropy(out, y)
        inside = torch.is_autocast_cpu_enabled()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, model.seen, loss.dtype, inside, torch.is_autocast_cpu_enabled(), float(loss.item()).hex())
print({p.grad.dtype for p in model.parameters()})
