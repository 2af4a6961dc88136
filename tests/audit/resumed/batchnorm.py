"""BatchNorm, SGD with momentum, a schedule in epochs, and an evaluation after each epoch."""

import os
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(80, 3, 8, 8)
data = TensorDataset(x, (x.mean((1, 2, 3)) > 0).long())
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(288, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=5)
generator = torch.Generator().manual_seed(0)
loader = DataLoader(data, batch_size=16, shuffle=True, generator=generator)
validation = DataLoader(data, batch_size=40)
start = 0
if "--resume" in sys.argv:
    saved = torch.load("last.pt")
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    scheduler.load_state_dict(saved["scheduler"])
    generator.set_state(saved["generator"])
    start = saved["epoch"] + 1
for epoch in range(start, 5):
    model.train()
    for images, labels in loader:
        loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    scheduler.step()
    model.eval()
    for images, labels in validation:
        with torch.no_grad():
            nn.functional.cross_entropy(model(images), labels)
    torch.save(
        {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "epoch": epoch,
            "scheduler": scheduler.state_dict(),
            "generator": generator.get_state(),
        },
        "last.pt",
    )
    if "--stop" in sys.argv and epoch == 2:
        os._exit(0)
