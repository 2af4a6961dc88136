# A forkserver starts the worker; a picklable collate function and a custom batch class travel both ways.
import torch
from torch.utils.data import DataLoader

torch.set_num_threads(1)


class Batch:
    def __init__(self, items):
        self.x = torch.stack(items)

    def __reduce__(self):
        return rebuild, (self.x.clone(),)


def rebuild(x):
    b = Batch.__new__(Batch)
    b.x = x
    b.rebuilt = True
    return b


class Collate:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, items):
        return Batch([i * self.scale for i in items])


def main():
    data = [torch.full((2,), float(i)) for i in range(4)]
    loader = DataLoader(data, 2, num_workers=1, collate_fn=Collate(2), multiprocessing_context="forkserver")
    for b in loader:
        print(type(b).__name__, sorted(vars(b)), b.x.tolist(), b.x.is_shared())


if __name__ == "__main__":
    main()
