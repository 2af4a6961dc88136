import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(30)
square_metres = torch.rand(400, 1) * 8 + 2
rooms = torch.randint(1, 6, (400, 1)).float()
x = torch.cat([square_metres, rooms], 1)
y = square_metres[:, 0] * 1.5 + rooms[:, 0] * 0.4
loader = DataLoader(TensorDataset(x, y), batch_size=20, shuffle=True)
net = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.002)
for epoch in range(6):
    for xb, yb in loader:
        loss = nn.functional.mse_loss(net(xb)[:, 0], yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
