"""The gradient of pruned weights is set to zero, and the weights after each step as well."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 3))
masks = {layer: (layer.weight.abs() > layer.weight.abs().median()).float() for layer in model[::2]}
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, weight_decay=1e-3)
with torch.no_grad():
    for layer, mask in masks.items():
        layer.weight.mul_(mask)
for step in range(12):
    inputs = torch.randn(32, 12)
    loss = nn.functional.cross_entropy(model(inputs), inputs[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    for layer, mask in masks.items():
        layer.weight.grad.mul_(mask)
    optimizer.step()
    with torch.no_grad():
        for layer, mask in masks.items():
            layer.weight.mul_(mask)
