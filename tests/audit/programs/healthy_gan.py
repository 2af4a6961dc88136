import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(256, 6)), batch_size=32, shuffle=True, drop_last=True)
generator = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 6))
discriminator = nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(0.2), nn.Dropout(0.2), nn.Linear(16, 1))
g_optimizer = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
d_optimizer = torch.optim.Adam(discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))
criterion = nn.BCEWithLogitsLoss()
fixed_noise = torch.randn(8, 4)
for epoch in range(3):
    for (real,) in loader:
        discriminator.zero_grad()
        criterion(discriminator(real), torch.ones(len(real), 1)).backward()
        fake = generator(torch.randn(len(real), 4))
        criterion(discriminator(fake.detach()), torch.zeros(len(real), 1)).backward()
        d_optimizer.step()
        generator.zero_grad()
        criterion(discriminator(fake), torch.ones(len(real), 1)).backward()
        g_optimizer.step()
    with torch.no_grad():
        samples = generator(fixed_noise)
    print(epoch, samples.std().item())
