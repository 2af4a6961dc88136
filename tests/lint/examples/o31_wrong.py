import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, MultiStepLR, OneCycleLR


class Trainer:
    def __init__(self, net, loader, config):
        self.net, self.loader, self.config = net, loader, config
        self.optimizer = torch.optim.SGD(net.parameters(), lr=config.lr)
        self.schedule = CosineAnnealingLR(self.optimizer, T_max=config.epochs)

    def train(self):
        for epoch in range(self.config.epochs):
            for x, y in self.loader:
                self.optimizer.zero_grad()
                torch.nn.functional.mse_loss(self.net(x), y).backward()
                self.optimizer.step()
                self.schedule.step()  # BUG: T_max counts epochs


def train_epoch(net, loader, optimizer, schedule):
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()
        schedule.step()  # BUG: the milestones count epochs


def main(net, loader):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    schedule = MultiStepLR(optimizer, [30, 60])
    for epoch in range(90):
        train_epoch(net, loader, optimizer, schedule)


def one_cycle(net, loader, epochs):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    cycle = OneCycleLR(optimizer, 0.1, epochs=epochs, steps_per_epoch=len(loader))
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()
        cycle.step()  # BUG: it counts batches


def swapped(optimizer):
    return torch.optim.lr_scheduler.StepLR(optimizer, 0.1, 10)  # BUG: the factor is where the steps are
