"""A model in bfloat16 that Adam trains at a usual rate: most updates are rounded away."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main(dtype=torch.bfloat16):
    torch.manual_seed(0)
    inputs = torch.randn(512, 16)
    dataset = TensorDataset(inputs, (inputs @ torch.randn(16, 4)).argmax(1))
    model = nn.Sequential(nn.Linear(16, 64), nn.LayerNorm(64), nn.GELU(), nn.Linear(64, 4)).to(dtype)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 20))
    for epoch in range(3):
        for x, y in DataLoader(dataset, batch_size=32, shuffle=True):
            loss = nn.functional.cross_entropy(model(x.to(dtype)).float(), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
