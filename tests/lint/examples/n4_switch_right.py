"""Gradients are off while the validation losses are added."""
import torch


def train(model, loader, val_loader, criterion, optimizer, every):
    for step, (images, labels) in enumerate(loader):
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
        if step % every == 0:
            torch.set_grad_enabled(False)
            model.eval()
            total = torch.tensor(0.0)
            for images, labels in val_loader:
                loss = criterion(model(images), labels)
                total += loss
            print(total / len(val_loader))
            torch.set_grad_enabled(True)
            model.train()
