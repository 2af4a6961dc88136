"""DP18: attributes of a dataset that changed in the main process after its workers had started."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Iterator
from typing import Any

from dpkb_audit.check import CERTAIN, Check
from dpkb_audit.memory import is_private
from dpkb_audit.object_contents import attributes_of, has_attributes, is_a
from dpkb_audit.records import LoaderRecord
from dpkb_audit.tensors import is_array, is_tensor, read_elements


class DP18(Check):
    description = "the attributes of a dataset whose workers stay from epoch to epoch"
    fix = "keep it in a tensor in shared memory, or make a new DataLoader after the change"

    def on_epoch_started(self, record: LoaderRecord) -> None:
        loader = record.loader
        if loader is None or not loader.num_workers or not getattr(loader, "persistent_workers", False):
            return
        if not self.audit.can_look():
            return
        if getattr(loader, "_iterator", None) is None:  # the workers start now, with these values
            self.keep(record, _values(loader.dataset))
            return
        known, now = self.find_value(record), _values(loader.dataset)
        if known is None:
            return
        for name, value in now.items():
            if name in known and known[name] != value and _only_reads(loader.dataset, name):
                change = _describe_change(known[name], value)
                self.report(
                    CERTAIN,
                    f"{name} of the dataset is {change} in its workers "
                    f"({loader.num_workers}), which persistent_workers=True keeps from an earlier "
                    "epoch",
                    attribute=name,
                )


def _values(dataset: Any) -> dict[str, Any]:
    """The attributes that are plain values, or private tensors and arrays, and classes of objects."""
    values: dict[str, Any] = {}
    for name, value in attributes_of(dataset):
        if value is None or is_a(value, (bool, int, float, str)):
            values[name] = value
        elif is_tensor(value) or is_array(value):
            if is_private(value):
                values[name] = (tuple(value.shape), repr(read_elements(value)))
        elif is_a(value, (list, tuple)):
            sample = value[:: max(len(value) // 50, 1)]
            if all(is_a(item, (bool, int, float, str)) for item in sample):
                values[name] = (len(value), repr(sample))
        elif has_attributes(value):
            values[name] = type(value)
    return values


def _describe_change(old: Any, new: Any) -> str:
    if _short(old) == _short(new):  # as of a list that was shuffled
        return "changed in the main process, and still as before"
    return f"{_short(new)} in the main process, and still {_short(old)}"


def _short(value: Any) -> str:
    if isinstance(value, type):
        return f"a {value.__name__}"
    if is_a(value, tuple):
        return f"a value of shape or length {value[0]}"
    return "another text" if is_a(value, str) else repr(value)[:60]


def _only_reads(dataset: Any, path: str) -> bool:
    """Whether the code that workers run for a sample reads the attribute and never sets it."""
    name = path.rpartition(".")[2]
    reads = False
    for code in _codes_of_workers(dataset):
        for instruction in dis.get_instructions(code):
            if instruction.argval == name:
                if instruction.opname in ("STORE_ATTR", "DELETE_ATTR"):
                    return False
                reads = True
    return reads


def _codes_of_workers(dataset: Any) -> Iterator[Any]:
    """The code of __getitem__ and __iter__, of the methods that they call, and of the transforms."""
    owners = [dataset, *(value for _, value in attributes_of(dataset) if has_attributes(value))]
    waiting = ["__getitem__", "__getitems__", "__iter__", "__call__", "forward"]
    visited: set[str] = set()
    while waiting and len(visited) < 300:
        name = waiting.pop()
        if name in visited:
            continue
        visited.add(name)
        for owner in owners:
            method: Any = inspect.getattr_static(type(owner), name, None)
            method = getattr(method, "fget", None) or getattr(method, "__wrapped__", None) or method
            codes = [method.__code__] if hasattr(method, "__code__") else []
            while codes:
                code = codes.pop()
                yield code
                waiting += [other for other in code.co_names if other not in visited]
                codes += [constant for constant in code.co_consts if hasattr(constant, "co_names")]
