import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

def train_one_epoch(model, loader, opt, sched, device):
    model.train()
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    sched.step()
    return loss.item()

torch.manual_seed(32)
x = torch.randn(200, 6)
loader = DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=25, shuffle=True)
net = nn.Linear(6, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.5, weight_decay=1e-3)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.7)
for epoch in range(6):
    print(epoch, train_one_epoch(net, loader, optimizer, scheduler, "cpu"))
