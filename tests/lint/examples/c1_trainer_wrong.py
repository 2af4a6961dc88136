import torch


class Trainer:
    def __init__(self, model, optimizer, loader):
        self.model, self.optimizer, self.loader = model, optimizer, loader
        self.best = 0.0

    def train(self, epoch):
        for images, labels in self.loader:
            self.optimizer.zero_grad()
            torch.nn.functional.cross_entropy(self.model(images), labels).backward()
            self.optimizer.step()
        torch.save({
            "epoch": epoch,
            "best_accuracy": self.best,
            "state_dict": self.model.state_dict(),  # BUG
        }, "last.pt")
