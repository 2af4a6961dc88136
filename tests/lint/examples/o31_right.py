import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, MultiStepLR, OneCycleLR


def train(net, loader, epochs, each_batch):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    by_epoch = CosineAnnealingLR(optimizer, T_max=epochs)
    by_batch = CosineAnnealingLR(optimizer, T_max=epochs * len(loader))
    either = OneCycleLR(optimizer, 0.1, epochs=epochs, steps_per_epoch=len(loader)) if each_batch else by_epoch
    rare = MultiStepLR(optimizer, [30, 60])
    for epoch in range(epochs):
        for i, (x, y) in enumerate(loader):
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()
            by_batch.step()
            if each_batch:
                either.step()
            if i % 100 == 0:
                rare.step()
        by_epoch.step()
        if not each_batch:
            either.step()


def train_in_one_function(net, loader, epochs):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    cycle = OneCycleLR(optimizer, 0.1, epochs=epochs, steps_per_epoch=len(loader))
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()
            cycle.step()
            net.train_in_one_function()
