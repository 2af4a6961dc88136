# Iterable datasets and generator loaders: when their finally blocks run, after a break, an exception and an exhaustion.
import torch
from torch.utils.data import DataLoader, IterableDataset

torch.set_num_threads(1)


class Stream(IterableDataset):
    def __iter__(self):
        try:
            for i in range(6):
                yield torch.tensor(i)
        except GeneratorExit:
            print("GeneratorExit")
            raise
        finally:
            print("finally")


class Wrapped(DataLoader):
    def __iter__(self):
        print("open")
        try:
            for n, b in enumerate(super().__iter__()):
                got = yield n, b.tolist()
                if got:
                    print("sent", got)
        finally:
            print("close")


def first(loader):
    for item in loader:
        return item


print(first(Wrapped(Stream(), batch_size=4)))
try:
    for _ in Wrapped(Stream(), batch_size=4):
        raise KeyError("x")
except KeyError as e:
    print(type(e).__name__)
    del e
print(list(Wrapped(Stream(), batch_size=4)))
it = iter(Wrapped(Stream(), batch_size=2))
print(type(it).__name__, next(it), it.send("hello"))
try:
    it.throw(ValueError("thrown"))
except ValueError as e:
    print(e)
print(list(it))
