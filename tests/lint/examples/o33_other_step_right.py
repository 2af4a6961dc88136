"""The optimizer steps in every batch; what has a step() now and then is a writer of checkpoints."""
import torch


def train(model, loader, criterion, optimizer, scaler, writer, every):
    for iteration, (images, labels) in enumerate(loader):
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        if iteration % every == 0:
            writer.step(iteration)
