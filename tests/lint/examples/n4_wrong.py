from torch import nn


class Trainer:
    def __init__(self, model: nn.Module, optimizer, loader):
        self.model, self.optimizer, self.loader = model, optimizer, loader
        self.criterion = nn.CrossEntropyLoss()

    def train_epoch(self):
        total_loss, losses = 0.0, []
        for images, labels in self.loader:
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(images), labels)
            loss.backward()
            self.optimizer.step()
            total_loss += loss  # BUG
            losses.append(loss)  # BUG
        return total_loss / len(self.loader), losses
