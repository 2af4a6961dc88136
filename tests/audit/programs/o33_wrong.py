import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
accumulate = 4
loader = DataLoader(TensorDataset(torch.randn(256, 6), torch.randn(256, 1)), batch_size=8, shuffle=True)
model = nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(2):
    for number, (inputs, targets) in enumerate(loader, 1):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), targets) / accumulate
        loss.backward()
        if number % accumulate == 0:
            optimizer.step()
