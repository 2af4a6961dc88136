# Dicts, named tuples, dataclasses, strings, None, nested and empty structures come through a loader as they are.
import collections
import dataclasses

import torch
from torch.utils.data import DataLoader

torch.set_num_threads(1)
Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Sample:
    x: torch.Tensor
    name: str


class Weird(dict):
    def __getitem__(self, k):
        print("weird get", k)
        return super().__getitem__(k)

    def values(self):
        print("weird values")
        return super().values()

    def items(self):
        print("weird items")
        return super().items()

    def keys(self):
        print("weird keys")
        return super().keys()

    def __iter__(self):
        print("weird iter")
        return super().__iter__()


cases = [
    [{"a": torch.ones(1), "b": "s", "c": [1, 2.5]}] * 2,
    [Point(1, torch.zeros(2)), Point(2, torch.ones(2))],
    [(1, ("a", b"b"), {})] * 2,
    [collections.OrderedDict(z=1, a=2)] * 2,
    [collections.defaultdict(int, q=1)] * 2,
]
for case in cases:
    for batch in DataLoader(case, batch_size=2):
        print(type(batch).__name__, batch)
for batch in DataLoader([Sample(torch.ones(1), "n")] * 2, batch_size=2, collate_fn=lambda s: Sample(torch.stack([q.x for q in s]), "b")):
    print(batch)
for what in (None, "", [], 0, b"x", float("nan"), ..., NotImplemented, StopIteration("value"), type, len):
    print([b if b is what else "changed" for b in DataLoader([1, 2], batch_size=None, collate_fn=lambda _: what)])
for batch in DataLoader([1, 2], batch_size=2, collate_fn=lambda s: Weird(x=torch.tensor(s), y=None)):
    print(type(batch).__name__)
