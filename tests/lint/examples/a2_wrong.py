import torch
from torch import nn

netG, netD = nn.Linear(8, 8), nn.Linear(8, 1)
criterion = nn.BCEWithLogitsLoss()
optimizerG, optimizerD = torch.optim.Adam(netG.parameters()), torch.optim.Adam(netD.parameters())


def train(loader, ones, zeros):
    for real in loader:
        fake = netG(torch.randn(4, 8))
        on_fake = netD(fake)
        lossD = criterion(netD(real), ones) + criterion(on_fake, zeros)
        optimizerD.zero_grad()
        lossD.backward(retain_graph=True)
        optimizerD.step()
        lossG = criterion(on_fake, ones)  # BUG
        optimizerG.zero_grad()
        lossG.backward()
        optimizerG.step()


def train_sometimes_twice(loader, ones, extra):
    for real in loader:
        optimizerD.zero_grad()
        criterion(netD(real), ones).backward()
        optimizerD.step()
        optimizerG.zero_grad()
        on_fake = netD(netG(torch.randn(4, 8)))
        if extra:
            optimizerD.step()
        lossG = criterion(on_fake, ones)  # BUG
        lossG.backward()
        optimizerG.step()
