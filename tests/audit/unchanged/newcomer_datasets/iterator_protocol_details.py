# iter() of a loader: identity, type, length, repeated next after the end, two iterators at once, nested loaders.
import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.dataloader import _SingleProcessDataLoaderIter

torch.manual_seed(0)
torch.set_num_threads(1)
loader = DataLoader(TensorDataset(torch.arange(6)), batch_size=2, shuffle=True)
it = iter(loader)
print(type(it) is _SingleProcessDataLoaderIter, iter(it) is it, len(it), iter(loader) is iter(loader))
print([b[0].tolist() for b in it])
for _ in range(2):
    try:
        next(it)
    except StopIteration as e:
        print("StopIteration", e.args, e.value, e.__context__, e.__cause__)
print(next(it, "default"))
a, b = iter(loader), iter(loader)
print([(x[0].tolist(), y[0].tolist()) for x, y in zip(a, b)])
inner = DataLoader(range(2))
print([(o.item(), i.item()) for o in DataLoader(range(3)) for i in inner])
print(list(zip(range(1), loader))[0][1][0].tolist(), sum(1 for _ in loader), len(loader))
it = iter(loader)
first, *rest = it
print(first[0].tolist(), len(rest))
print(max(enumerate(loader))[0], dict(enumerate(DataLoader(range(2))))[1].item())


class Cycle:
    def __init__(self, loader):
        self.loader, self.it = loader, iter(loader)

    def __next__(self):
        try:
            return next(self.it)
        except StopIteration:
            self.it = iter(self.loader)
            return next(self.it)


cycle = Cycle(loader)
print([next(cycle)[0].tolist() for _ in range(5)])
