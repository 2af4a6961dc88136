import math
import torch
from torch import nn

class Trainer:
    def __init__(self, model, epochs, batches):
        self.model, self.epochs, self.batches = model, epochs, batches
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=epochs * batches)

    def one_batch(self):
        x = torch.rand(32, 2) * 6 - 3
        return x, torch.sin(x[:, :1]) * torch.cos(x[:, 1:])

    def run(self):
        for epoch in range(self.epochs):
            mean = 0.0
            for _ in range(self.batches):
                x, y = self.one_batch()
                loss = nn.functional.mse_loss(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                self.scheduler.step()
                mean += loss.item() / self.batches
            print(epoch, math.sqrt(mean))

torch.manual_seed(0)
Trainer(nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 1)), epochs=10, batches=25).run()
