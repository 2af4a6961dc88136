"""A forecast of series of different lengths: the error of the padding is set to zero, and is in the mean."""
import torch
from torch import nn

torch.manual_seed(0)
cell, out = nn.GRU(1, 16, batch_first=True), nn.Linear(16, 1)
optimizer = torch.optim.Adam([*cell.parameters(), *out.parameters()], lr=1e-2)
for _ in range(12):
    lengths = torch.randint(4, 20, (8,))
    padding = torch.arange(20)[None] >= lengths[:, None]
    series = torch.sin(torch.rand(8, 1) * 6 + torch.arange(21) * 0.3)[..., None]
    inputs, targets = series[:, :-1].masked_fill(padding[..., None], 0), series[:, 1:]
    error = nn.functional.mse_loss(out(cell(inputs)[0]), targets, reduction="none")
    loss = error.masked_fill(padding[..., None], 0).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
