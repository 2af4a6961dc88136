# The states of all random number generators before, during and after training, as hashes.
import hashlib
import os
import random
import uuid

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.set_num_threads(1)
torch.manual_seed(11), random.seed(12), np.random.seed(13)


def states():
    parts = (torch.get_rng_state().numpy().tobytes(), repr(random.getstate()).encode(), repr(np.random.get_state()[1:3]).encode())
    return [hashlib.sha256(p).hexdigest()[:10] for p in parts]


print(states())
net = nn.Sequential(nn.Linear(2, 4), nn.Dropout(0.5), nn.Linear(4, 1))
print(states())
opt = torch.optim.SGD(net.parameters(), lr=0.1)
data = TensorDataset(torch.randn(8, 2))
loader = DataLoader(data, batch_size=2, shuffle=True)
print(states())
for (x,) in loader:
    loss = net(x).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(states(), x[0, 0].item().hex())
it = iter(loader)
print(states())
next(it)
print(states())
g = torch.Generator().manual_seed(1)
sampler = WeightedRandomSampler([1.0, 2.0, 3.0], 3, generator=g)
print([b.tolist() for b in DataLoader(range(3), sampler=sampler, generator=g)], hashlib.sha256(g.get_state().numpy().tobytes()).hexdigest()[:10])
torch.save(net.state_dict(), "n.pt")
torch.load("n.pt")
print(states(), uuid.uuid5(uuid.NAMESPACE_DNS, "x"), random.random().hex(), np.random.rand().hex(), len(os.urandom(2)))
with torch.random.fork_rng():
    torch.manual_seed(5)
    torch.rand(1)
print(states(), torch.initial_seed(), torch.seed() != 11)
