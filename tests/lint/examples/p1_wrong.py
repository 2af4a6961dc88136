import torch
from torch import nn
from torch.cuda.amp import GradScaler, autocast


def train(model, loader, optimizer):
    scaler = GradScaler()
    for x, y in loader:
        optimizer.zero_grad()
        with autocast():
            loss = nn.functional.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # BUG
        scaler.step(optimizer)
        scaler.update()


class Trainer:
    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer
        self.scaler0 = GradScaler()

    def update(self, index):
        scaler = getattr(self, f"scaler{index}")
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)  # BUG
        scaler.step(self.optimizer)
        scaler.update()
