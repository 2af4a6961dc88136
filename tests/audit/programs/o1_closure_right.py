"""Steps with a closure; gradients are cleared after some of them, as before a validation."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
weights = torch.randn(8, 1)
for step in range(40):
    x = torch.randn(32, 8)

    def closure():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), x @ weights)
        loss.backward()
        return loss

    loss = optimizer.step(closure)
    if step % 8 == 7:
        model.zero_grad()
        with torch.no_grad():
            print(step, loss.item(), (model.weight - weights.t()).abs().max().item())
