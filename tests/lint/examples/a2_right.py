import torch
from torch import nn

netG, netD = nn.Linear(8, 8), nn.Linear(8, 1)
criterion = nn.BCEWithLogitsLoss()
optimizerG, optimizerD = torch.optim.Adam(netG.parameters()), torch.optim.Adam(netD.parameters())


def train(loader, ones, zeros):
    for real in loader:
        fake = netG(torch.randn(4, 8))
        output = netD(fake.detach())
        lossD = criterion(netD(real), ones) + criterion(output, zeros)
        optimizerD.zero_grad()
        lossD.backward()
        optimizerD.step()
        output = netD(fake)
        lossG = criterion(output, ones)
        optimizerG.zero_grad()
        lossG.backward()
        optimizerG.step()


def train_on_old_scores(loader, ones, zeros):
    for real in loader:
        fake = netG(torch.randn(4, 8))
        lossD = criterion(netD(fake.data), zeros)
        optimizerD.zero_grad()
        lossD.backward()
        scores = netD(real)
        target = netD(real).detach() * 2
        optimizerD.step()
        old = scores.data * 2
        lossG = criterion(netD(fake), ones) + (old - target).mean()
        optimizerG.zero_grad()
        lossG.backward()
        optimizerG.step()
