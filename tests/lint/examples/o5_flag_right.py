import torch
from torch import nn


def run_epoch(model, loader, criterion, optimizer, is_train):
    model.train(is_train)
    with torch.set_grad_enabled(is_train):
        for x, y in loader:
            loss = criterion(model(x), y)
            if is_train:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


def run_all(model, loader, criterion, optimizer, log):
    for x, y in loader:
        loss = criterion(model(x), y)
        if log:
            print(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def run_once(model, loader, criterion, optimizer, training):
    for x, y in loader:
        loss = criterion(model(x), y)
        if training:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def main(model, train_loader, other_loader, optimizer):
    run_epoch(model, train_loader, nn.MSELoss(), optimizer, is_train=True)
    run_epoch(model, other_loader, nn.MSELoss(), optimizer, is_train=False)
    run_all(model, other_loader, nn.MSELoss(), optimizer, log=False)
    run_once(model, train_loader, nn.MSELoss(), optimizer, training=True)
    model.eval()
    with torch.no_grad():
        run_once(model, other_loader, nn.MSELoss(), optimizer, training=False)
