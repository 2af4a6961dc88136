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

    def train_with_two_losses(self, history):
        for images, labels in self.loader:
            scores, features = self.model(images)
            class_loss = self.criterion(scores, labels)
            size_loss = features.pow(2).mean()
            loss = class_loss + 0.1 * size_loss
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            history["class"] += class_loss * len(images)  # BUG
            history["size"].append(size_loss)  # BUG
            history["features"] = history["features"] + loss / len(labels)  # BUG

    def train_and_keep_outputs(self):
        kept = []
        for images, labels in self.loader:
            scores = self.model(images)
            loss = self.criterion(scores, labels)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            kept.append(scores)  # BUG
        return kept
