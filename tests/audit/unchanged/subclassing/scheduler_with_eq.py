# A scheduler and a sampler that can be compared have no hash.
import torch
from torch.utils.data import DataLoader, SequentialSampler


class Schedule(torch.optim.lr_scheduler.StepLR):
    def __eq__(self, other):
        return self.gamma == other.gamma


class Order(SequentialSampler):
    def __eq__(self, other):
        return True


layer = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=1.0)
schedule = Schedule(optimizer, 1)
data = torch.arange(4.0).reshape(4, 1)
for epoch in range(2):
    for x in DataLoader(data, 2, sampler=Order(data)):
        optimizer.zero_grad()
        layer(x).sum().backward()
        optimizer.step()
    schedule.step()
    print(epoch, schedule.get_last_lr(), schedule == schedule)
