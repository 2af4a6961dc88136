import torch


class Trainer:
    def run(self):
        for epoch in range(self.epochs):
            self.scheduler.step()  # BUG
            self.train_epoch(epoch)


def train(model, loader, optimizer, scheduler):
    torch.manual_seed(0)
    scheduler.step()  # BUG
    for x in loader:
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
