import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
accumulate = 4
loader = DataLoader(TensorDataset(torch.randn(256, 6), torch.randn(256, 1)), batch_size=8, shuffle=True)
model = nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(2):
    for number, (inputs, targets) in enumerate(loader, 1):
        loss = nn.functional.mse_loss(model(inputs), targets) / accumulate
        loss.backward()
        if number % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()


def reading_ahead(batches):  # as accelerate does: the loader ends before its last batch is used
    batches = iter(batches)
    batch = next(batches)
    for following in batches:
        yield batch
        batch = following
    yield batch


def endless(batches):
    while True:
        yield from batches


for number, (inputs, targets) in enumerate(reading_ahead(loader), 1):
    (nn.functional.mse_loss(model(inputs), targets) / accumulate).backward()
    if number % accumulate == 0:
        optimizer.step()
        optimizer.zero_grad()
for number, (inputs, targets) in enumerate(endless(loader), 1):
    (nn.functional.mse_loss(model(inputs), targets) / 5).backward()
    if number % 5 == 0:  # a step takes gradients of two epochs
        optimizer.step()
        optimizer.zero_grad()
    if number == 60:
        break
