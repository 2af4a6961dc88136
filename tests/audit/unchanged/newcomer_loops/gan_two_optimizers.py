# quick
# A GAN trains two networks with two optimizers in turns; prints both losses as exact bits, step by step.
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
gen = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
disc = nn.Sequential(nn.Linear(1, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
opt_g = torch.optim.Adam(gen.parameters(), lr=1e-2, betas=(0.5, 0.9))
opt_d = torch.optim.RMSprop(disc.parameters(), lr=1e-2)
bce = nn.BCEWithLogitsLoss()
for step in range(6):
    real = torch.randn(8, 1) + 3
    fake = gen(torch.randn(8, 2))
    d_loss = bce(disc(real), torch.ones(8, 1)) + bce(disc(fake.detach()), torch.zeros(8, 1))
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()
    for p in disc.parameters():
        p.requires_grad_(False)
    g_loss = bce(disc(fake), torch.ones(8, 1))
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
    for p in disc.parameters():
        p.requires_grad_(True)
    print(step, d_loss.item().hex(), g_loss.item().hex())
print(sorted(opt_g.state[next(gen.parameters())]), sorted(opt_d.state[next(disc.parameters())]))
