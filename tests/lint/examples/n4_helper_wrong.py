from torch import nn


class Trainer:
    def __init__(self, model: nn.Module, optimizer, loader, test_loader):
        self.model, self.optimizer = model, optimizer
        self.loader, self.test_loader = loader, test_loader

    def step(self, images, labels):
        scores = self.model(images)
        loss = nn.functional.cross_entropy(scores, labels)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss, scores

    def fit(self):
        total = 0.0
        for images, labels in self.loader:
            loss, scores = self.step(images, labels)
            total += loss  # BUG
            del scores
        return total


def train_step(model, optimizer, batch):
    loss = model(batch).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def train(model, optimizer, batches):
    losses = []
    for batch in batches:
        losses.append(train_step(model, optimizer, batch))  # BUG
    return losses
