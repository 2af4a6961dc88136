import torch
from torch import nn

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train(total):
    for _ in range(2):
        optimizer.zero_grad()
        loss = model(torch.ones(1, 2)).sum()
        loss.backward()
        optimizer.step()
        total += loss
    return total.item()


start = torch.zeros(())
train(start)
print(start.requires_grad)
