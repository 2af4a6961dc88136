from torch import nn


class Trainer:
    def __init__(self, model: nn.Module, optimizer, loader):
        self.model, self.optimizer, self.loader = model, optimizer, loader
        self.criterion = nn.CrossEntropyLoss()

    def train_epoch(self):
        total_loss, losses = 0.0, []
        for images, labels in self.loader:
            self.optimizer.zero_grad()
            loss = 0
            for part in images.chunk(2):
                loss += self.criterion(self.model(part), labels)
            loss.backward()
            self.optimizer.step()
            total_loss += loss.item()
            losses.append(loss.detach())
        return total_loss / len(self.loader), losses


def compare(encoders: nn.ModuleList, batches):
    encoders = [nn.Linear(4, 4), nn.Linear(4, 4)]
    for batch in batches:
        parts = []
        for number in range(2):
            parts.append(encoders[number](batch[number]))
        print(sum(parts))


class Rollout(nn.Module):
    def __init__(self, step: nn.Module):
        super().__init__()
        self.step = step

    def forward(self, state):
        gates = []
        for _ in range(4):
            state = self.step(state)
            gates.append(nn.Sigmoid()(state.clone()))
        return gates
