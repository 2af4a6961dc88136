# Random layers, initialisers, samplers and distributions: the bits of each and the state that they leave.
import hashlib

import torch
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, SubsetRandomSampler, random_split

torch.manual_seed(3)
torch.set_num_threads(1)


def bits(t):
    return hashlib.sha256(t.detach().numpy().tobytes()).hexdigest()[:10]


net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.3), nn.RReLU(), nn.AlphaDropout(0.2), nn.Linear(8, 4))
for init in (nn.init.xavier_uniform_, nn.init.kaiming_normal_, nn.init.orthogonal_, nn.init.trunc_normal_):
    init(net[0].weight)
    print(init.__name__, bits(net[0].weight))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(4):
    x = torch.randn(3, 4)
    noise = torch.normal(0.0, torch.full((3, 4), 0.1))
    out = net(x + noise)
    opt.zero_grad()
    out.pow(2).mean().backward()
    for p in net.parameters():
        p.grad.add_(torch.randn_like(p.grad) * 0.01)
    opt.step()
    print(step, bits(out), bits(net[0].weight), torch.randint(100, (1,)).item(), torch.randperm(5).tolist(), torch.multinomial(torch.ones(4), 2).tolist())
print([list(s) for s in random_split(range(5), [3, 2])], list(SubsetRandomSampler([4, 5, 6])), list(BatchSampler(RandomSampler(range(5), True, 4), 2, True)))
loader = DataLoader(range(4), shuffle=True, generator=torch.Generator().manual_seed(9))
print([b.item() for _ in range(2) for b in loader], bits(torch.get_rng_state()))
