"""Keeps each loss with its graph. What backward() gets is that loss times a scale, as with a GradScaler."""
import torch

torch.manual_seed(0)
weights = [torch.randn(8, 16, requires_grad=True), torch.randn(16, 1, requires_grad=True)]
optimizer = torch.optim.SGD(weights, lr=0.01)
scale = 1024.0
losses = []
for step in range(12):
    hidden = torch.relu(torch.randn(4, 8) @ weights[0])
    loss = (hidden @ weights[1] - torch.randn(4, 1)).pow(2).mean()
    optimizer.zero_grad()
    (loss * scale).backward()
    for weight in weights:
        weight.grad /= scale
    optimizer.step()
    losses.append(loss)
print(sum(losses).item())
