import torch
from torch.optim.lr_scheduler import StepLR


def train(model, loader, epochs, accumulate):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = StepLR(optimizer, 10)
    for epoch in range(epochs):
        scheduler.step()  # BUG
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()


def train_in_parts(model, loader, optimizer, lr_scheduler, accumulate):
    for step, (x, y) in enumerate(loader):
        torch.nn.functional.mse_loss(model(x), y).backward()
        if (step + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()
        lr_scheduler.step()  # BUG


def main(model, train_loader, optimizer, epochs):
    scheduler = StepLR(optimizer, 10)
    for epoch in range(epochs):
        model.train()
        scheduler.step()  # BUG
        train_epoch(model, train_loader, optimizer, epoch)


def train_epoch(model, loader, optimizer, epoch):
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()


def fine_tune(model, lr_scheduler, optimizer, args, batches):
    for update in range(args.updates):
        lr_scheduler.step()  # BUG
        for x, y in next(batches):
            torch.nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
            optimizer.zero_grad()


def in_two_phases(model, train_loader, optimizer, joint_scheduler, warm_scheduler, epochs):
    for epoch in range(epochs):
        if epoch < 5:
            if warm_scheduler is not None:
                warm_scheduler.step()  # BUG
            train_epoch(model, train_loader, optimizer, epoch)
        else:
            joint_scheduler.step()  # BUG
            train_epoch(model, train_loader, optimizer, epoch)


def micro_batches(model, loader, optimizer, scheduler, accumulate):
    for step, (x, y) in enumerate(loader):
        (torch.nn.functional.mse_loss(model(x), y) / accumulate).backward()
        if (step + 1) % accumulate == 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scheduler.step()  # BUG
            optimizer.step()
            optimizer.zero_grad()


def with_events(trainer, Events, scheduler):
    @trainer.on(Events.EPOCH_STARTED)
    def adjust_learning_rate(engine):
        scheduler.step()  # BUG


class Both:
    def __init__(self, optimizer, scheduler):
        self.optimizer, self.scheduler = optimizer, scheduler

    def step(self):
        self.scheduler.step()  # BUG
        self.optimizer.step()
