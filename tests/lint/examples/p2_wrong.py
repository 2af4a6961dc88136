import torch
from torch import nn


def train(loader):
    model = nn.Linear(8, 1).cuda().half()  # BUG
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x.half()), y).backward()
        optimizer.step()


def train_with_autocast(model, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):  # BUG
            loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()


def loss_of(model, batch):
    with torch.amp.autocast(device_type="cuda"):  # BUG
        return model(batch).mean()


def train_with_a_function(model, loader, optimizer):
    for batch in loader:
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()


def train_where_there_is_a_gpu(model, loader, optimizer):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    for batch in loader:
        optimizer.zero_grad()
        with torch.autocast(device.type):  # BUG
            loss = model(batch.to(device)).mean()
        loss.backward()
        optimizer.step()
