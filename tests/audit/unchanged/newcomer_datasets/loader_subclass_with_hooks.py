# A DataLoader subclass that logs attribute access, has properties, a classmethod constructor and its own iterator.
import torch
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
log = []


class Logged(DataLoader):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self.epoch = 0

    def __getattribute__(self, name):
        if not name.startswith("__"):
            log.append(name)
        return super().__getattribute__(name)

    def __setattr__(self, name, value):
        log.append("set " + name)
        super().__setattr__(name, value)

    def __len__(self):
        log.append("len")
        return super().__len__()

    @classmethod
    def of(cls, *items):
        return cls(items, batch_size=2)

    @property
    def dangerous(self):
        raise RuntimeError


loader = Logged.of(1, 2, 3)
print(len(log), log)
log.clear()
for b in loader:
    print(b.tolist(), log)
    log.clear()
it = iter(loader)
print(log)


class Prefetch:
    def __init__(self, loader):
        self.loader = loader

    def __len__(self):
        print("prefetch len")
        return len(self.loader)

    def __getattr__(self, name):
        print("prefetch", name)
        return getattr(self.loader, name)

    def __iter__(self):
        pending = None
        for b in self.loader:
            if pending is not None:
                yield pending
            pending = b
        yield pending


print([b.tolist() for b in Prefetch(DataLoader([1, 2, 3]))])
