"""One function for training and validation, and an evaluation inside of the training loop."""

import torch
from torch import nn


def run_epoch(model, loader, criterion, optimizer, is_train):
    if is_train:
        model.train()
    else:
        model.eval()
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x), y)  # BUG
        if is_train:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item()
    return total


def main(model, train_loader, other_loader, optimizer):
    for _ in range(10):
        run_epoch(model, train_loader, nn.MSELoss(), optimizer, is_train=True)
        print(run_epoch(model, other_loader, nn.MSELoss(), optimizer, is_train=False))


def with_looks(classifier, train_loader, other_loader, optimizer):
    for number, (x, y) in enumerate(train_loader):
        classifier = classifier.train()
        optimizer.zero_grad()
        nn.functional.cross_entropy(classifier(x), y).backward()
        optimizer.step()
        if number % 10 == 0:
            x, y = next(iter(other_loader))
            classifier = classifier.eval()
            output = classifier(x)  # BUG
            loss = nn.functional.cross_entropy(output, y)
            print(loss.item())


def test_psnr(net, batches, criterion):
    net.eval()
    total = 0.0
    for x, y in batches:
        output = net(x)  # BUG
        total += torch.log10(criterion(output, y)).item()
    return total
