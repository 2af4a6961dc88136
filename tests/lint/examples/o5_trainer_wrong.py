import torch


class Trainer:
    def __init__(self, netG, optimizer, batches, validation):
        self.netG, self.optimizer = netG, optimizer
        self.batches, self.validation = batches, validation
        self.model = netG

    def train(self, epochs):
        for _ in range(epochs):
            for x, y in self.batches:
                loss = (self.model(x) - y).square().mean()
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            self._validate()
            self.test_again()

    def _validate(self):
        total = 0.0
        for x, y in self.validation:
            total += (self.model(x) - y).square().mean().item()  # BUG
        return total

    @torch.no_grad()
    def test_again(self):
        self.model.eval()
        for x, _ in self.validation:
            self.model.train()  # BUG
            self.model(x)

    def evaluate(self, batches):
        self.model.eval()
        found = []
        for x, _ in batches:
            found.append(self.model.predict(x).tolist())  # BUG
        return found
