import torch
from torch import nn


def train(model, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        total = 0.0
        count = 0
        for step in range(3):
            x = torch.ones(4, 2) * step
            loss = model(x).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss
            count += 1
        print(f"epoch {epoch}: {total:.4f}", (total / count).item(), float(total))


torch.manual_seed(0)
train(nn.Linear(2, 1), 2)
