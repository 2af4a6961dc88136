import torch


def train(model, loader, opt_d, criterion):
    torch.manual_seed(0)
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()  # BUG
        opt_d.step()
