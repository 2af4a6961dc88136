"""Lengths are read without a call of the program's code."""

import pytest
from dpkb_audit.lengths import read_length

torch = pytest.importorskip("torch")

data = torch.utils.data
pytestmark = pytest.mark.slow


class OfAttribute:
    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)


class OfNumber(OfAttribute):
    def __len__(self):
        return self.items


class OfConstant(OfAttribute):
    def __len__(self):
        return 64


class OfArithmetic(OfAttribute):
    def __len__(self):
        return len(self.items) // 2 + 1


class Computed(OfAttribute):
    calls = 0

    def __len__(self):
        Computed.calls += 1
        return len(self.items)


class Rows(data.TensorDataset):
    pass


@pytest.mark.parametrize(
    ("value", "length"),
    [
        ([1, 2, 3], 3),
        (torch.zeros(5, 2), 5),
        (OfAttribute([1, 2]), 2),
        (OfAttribute(OfAttribute([1, 2])), 2),
        (OfNumber(7), 7),
        (OfNumber("seven"), None),
        (OfConstant(None), 64),
        (OfArithmetic([1, 2, 3, 4]), 3),
        (data.TensorDataset(torch.zeros(4, 2)), 4),
        (Rows(torch.zeros(4, 2)), 4),
        (data.Subset(OfAttribute([1, 2, 3]), [0, 2]), 2),
        (data.ConcatDataset([[1, 2], [3]]), 3),
        (data.RandomSampler(OfAttribute([1, 2, 3])), 3),
        (data.BatchSampler(data.SequentialSampler([1, 2, 3]), 2, drop_last=False), 2),
        (data.BatchSampler(data.SequentialSampler([1, 2, 3]), 2, drop_last=True), 1),
        (object(), None),
        (Computed([1, 2]), None),
    ],
)
def test_lengths(value, length):
    assert read_length(value) == length
    assert Computed.calls == 0
