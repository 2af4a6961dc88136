import torch
from torch.optim.lr_scheduler import StepLR


def train(model, loader, epochs, accumulate):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = StepLR(optimizer, 10)
    for epoch in range(epochs):
        for step, (x, y) in enumerate(loader):
            torch.nn.functional.mse_loss(model(x), y).backward()
            if (step + 1) % accumulate == 0:
                optimizer.step()
                optimizer.zero_grad()
        scheduler.step()


def train_by_epoch_number(model, loader, optimizer, scheduler, epochs):
    for epoch in range(epochs):
        scheduler.step(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()


def resumed(model, train_loader, optimizer, scheduler, epochs):
    for epoch in range(epochs):
        if epoch > 0:
            scheduler.step()
        train_epoch(model, train_loader, optimizer, epoch)


def sampled(pipe, scheduler, latents, steps):
    for t in steps:
        noise = pipe(latents, t)
        latents = scheduler.step(noise, t, latents)


def two_optimizers(model, critic, loader, optimizer, scheduler, optimizer_critic, scheduler_critic):
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        scheduler.step()
        optimizer_critic.zero_grad()
        critic(x).mean().backward()
        optimizer_critic.step()
        scheduler_critic.step()


def with_events(trainer, Events, scheduler):
    @trainer.on(Events.EPOCH_COMPLETED)
    def adjust_learning_rate(engine):
        scheduler.step()


def not_in_the_first_epoch(model, loader, optimizer, scheduler, epochs):
    is_first = True
    for epoch in range(epochs):
        if epoch:
            scheduler.step()
        train_one_epoch(model, loader, optimizer)
        if not is_first:
            scheduler.step()
        is_first = False


def train_one_epoch(model, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
