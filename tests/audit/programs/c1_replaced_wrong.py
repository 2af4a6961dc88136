"""The state of the optimizer is loaded, and then a new optimizer is created for the training."""
import io

import torch
from torch import nn

DATA = torch.randn(256, 6, generator=torch.Generator().manual_seed(0))


def fit(model, steps):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(steps):
        x = DATA[step % 8 * 32:][:32]
        loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())
    return optimizer


def resume(file):
    model = nn.Linear(6, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    file.seek(0)
    checkpoint = torch.load(file)
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    return model


torch.manual_seed(0)
model, file = nn.Linear(6, 1), io.BytesIO()
optimizer = fit(model, 24)
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": 24}, file)
fit(resume(file), 24)
