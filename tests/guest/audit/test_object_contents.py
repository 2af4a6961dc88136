"""The contents of datasets and batches."""

import functools
import io

import pytest
from dpkb_audit.object_contents import attributes_of, contents_of, items_of, tensors_in

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.slow


class Holder:
    def __init__(self, **attributes):
        vars(self).update(attributes)


def names(value):
    return {name for name, _, _ in contents_of(value)}


def test_values_are_found_in_objects_short_lists_and_closures():
    def transform(scale):
        return lambda x: x * scale

    dataset = Holder(
        files=["a"] * 100,
        inner=Holder(cache={}),
        transforms=[Holder(p=0.5), transform(3)],
        load=functools.partial(open, "file"),
    )
    found = dict((name, value) for name, value, _ in contents_of(dataset))
    assert {"self.files", "self.inner.cache", "self.transforms[0].p", "self.transforms[1]()"} <= set(found)
    assert found["self.transforms[0].p"] == 0.5 and found["self.transforms[1]()"] == 3
    assert "self.files[0]" not in found, "a long list is data, not a holder of things"
    assert dict(attributes_of(dataset))["self.transforms[0].p"] == 0.5
    assert "self.transforms[0]" not in dict(attributes_of(dataset)), "an item is not an attribute"


@pytest.mark.parametrize("collate", [list, torch.stack, len])
def test_what_has_no_attributes_of_its_own_holds_nothing(collate):
    assert names(collate) == set()


def test_objects_that_refer_to_each_other_are_visited_once():
    one, other = Holder(), Holder()
    one.other, other.one = other, one
    assert names(one) == {"self.other", "self.other.one"}
    wide = Holder(rows=[Holder(cells=[Holder(value=i) for i in range(20)]) for _ in range(20)])
    assert 100 < len(names(wide)) < 3000


def test_files_tensors_and_classes_are_not_looked_into():
    dataset = Holder(file=io.BytesIO(), tensor=torch.zeros(2), kind=Holder, module=io)
    assert names(dataset) == {"self.file", "self.tensor", "self.kind", "self.module"}


def test_only_keys_that_are_names_are_in_a_path():
    assert [path for path, _ in items_of({"ids": 0, "a b": 0, "cat.png": 0, 7919: 0})] == [
        "['ids']",
        "[key 1]",
        "[key 2]",
        "[key 3]",
    ]
    words = {f"word{number}": number for number in range(100)}
    assert list(items_of(words))[99] == ("[key 99]", 99), "a large dict has data for keys"


def test_the_tensors_of_a_batch_each_once():
    shared = torch.zeros(2)
    batch = {"x": [shared, (shared, torch.ones(1))], "y": Holder(labels=torch.zeros(3)), "z": "text"}
    assert sorted(t.numel() for t in tensors_in(batch)) == [1, 2, 3]
    assert tensors_in(None) == []
