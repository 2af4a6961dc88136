# The reference counts of the model, the optimizer, the loader, batches and losses in a training loop.
import gc
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
data = TensorDataset(torch.randn(6, 2), torch.randn(6, 1))
loader = DataLoader(data, batch_size=2, shuffle=True)
loss_fn = nn.MSELoss()
for epoch in range(2):
    for batch in loader:
        x, y = batch
        out = model(x)
        loss = loss_fn(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print([sys.getrefcount(o) for o in (batch, x, y, out, loss, loss.grad_fn)])
gc.collect()
print([sys.getrefcount(o) for o in (model, model.weight, model.weight.grad, opt, data, loss_fn)])
print(sys.getrefcount(loader), sys.getrefcount(loader.sampler))
it = iter(loader)
next(it)
print(sys.getrefcount(it), sys.getrefcount(loader))
