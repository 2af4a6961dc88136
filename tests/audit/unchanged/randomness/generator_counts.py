# A generator and a sampler that count how often they are used.
import torch
from torch.utils.data import DataLoader, RandomSampler


class Counted(RandomSampler):
    iterations = 0

    def __iter__(self):
        Counted.iterations += 1
        for index in super().__iter__():
            print("index", index)
            yield index


data = [torch.full((1,), float(i)) for i in range(6)]
generator = torch.Generator().manual_seed(0)
loader = DataLoader(data, 2, sampler=Counted(data, generator=generator))
layer = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for epoch in range(2):
    for step, x in enumerate(loader):
        optimizer.zero_grad()
        layer(x).sum().backward()
        optimizer.step()
        if step == 1:
            break
    print(epoch, Counted.iterations, generator.get_state().sum().item())
