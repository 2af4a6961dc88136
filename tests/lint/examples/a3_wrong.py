import torch


def train(model, loader, optimizer):
    for x, y in loader:
        output = model(x).detach().numpy()
        optimizer.zero_grad()
        loss = torch.tensor(((output - y.numpy()) ** 2).mean(), requires_grad=True)  # BUG
        loss.backward()
        optimizer.step()
