# Gradient accumulation with clipping and an exponential moving average; prints gradient norms and weights as bits.
import copy

import torch
from torch import nn

torch.manual_seed(3)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(3, 6), nn.GELU(), nn.Linear(6, 1))
ema = copy.deepcopy(model)
opt = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9, nesterov=True)
accumulate = 3
for i in range(12):
    x = torch.randn(4, 3)
    loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean() / accumulate
    loss.backward()
    if (i + 1) % accumulate == 0:
        norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        nn.utils.clip_grad_value_(model.parameters(), 0.2)
        print(i, type(norm).__name__, norm.item().hex(), loss.item().hex())
        opt.step()
        opt.zero_grad(set_to_none=True)
        print([p.grad for p in model.parameters()])
        with torch.no_grad():
            for a, b in zip(ema.parameters(), model.parameters()):
                a.mul_(0.9).add_(b, alpha=0.1)
print([p.detach().double().sum().item().hex() for p in ema.parameters()])
