import torch

class Batches:
    def __init__(self, loader):
        self.items = [1, 2]
    def __iter__(self):
        return self
    def next(self):
        return self.items.pop() if self.items else None
    def __next__(self):
        raise StopIteration
def run(loader):
    it = iter(loader)
    while (x := it.next()) is not None:
        print(x, f"{it.next()!r} {'größe'}")
run(Batches(None))
