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
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()


def train_with_a_scaled_limit(model, loader, optimizer):
    scaler = GradScaler()
    for x, y in loader:
        optimizer.zero_grad()
        scaler.scale(nn.functional.cross_entropy(model(x), y)).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5 * scaler.get_scale())
        scaler.step(optimizer)
        scaler.update()
