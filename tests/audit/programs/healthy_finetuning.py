"""A frozen backbone, a scheduler, clipping, accumulation, validation, checkpoints and a resume."""
import os
import tempfile

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
accumulate = 2
data = TensorDataset(torch.rand(96, 3, 8, 8), torch.randint(3, (96,)))
train_set, val_set = random_split(data, [64, 32])
train_loader = DataLoader(train_set, batch_size=8, shuffle=True, num_workers=2, drop_last=True)
val_loader = DataLoader(val_set, batch_size=16)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(0.1), nn.Linear(8, 3))
        self.backbone.requires_grad_(False)

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()
        return self

    def forward(self, images):
        return self.head(self.backbone(images))


def run(path, epochs):
    model = Net()
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    first = 0
    if os.path.exists(path):
        state = torch.load(path)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        scheduler.load_state_dict(state["scheduler"])
        first = state["epoch"] + 1
    for epoch in range(first, epochs):
        model.train()
        for number, (images, labels) in enumerate(train_loader, 1):
            loss = nn.functional.cross_entropy(model(images), labels) / accumulate
            loss.backward()
            if number % accumulate == 0:
                nn.utils.clip_grad_norm_(model.head.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
        scheduler.step()
        model.eval()
        with torch.no_grad():
            losses = [nn.functional.cross_entropy(model(x), y).item() for x, y in val_loader]
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(),
                    "scheduler": scheduler.state_dict(), "epoch": epoch}, path)
        print(epoch, sum(losses) / len(losses))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        run(folder + "/last.pt", 2)
        run(folder + "/last.pt", 4)
