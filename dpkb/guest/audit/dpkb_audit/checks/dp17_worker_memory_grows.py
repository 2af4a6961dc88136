"""DP17: memory that a forked worker copies by reading a list of Python objects."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from dpkb_audit.check import LIKELY, Check
from dpkb_audit.facts import Fact, group_facts
from dpkb_audit.memory import read_private_bytes, was_forked
from dpkb_audit.object_contents import attributes_of, is_a
from dpkb_audit.tensors import is_array

# A list is followed if it has at least this many objects.
_MIN_OBJECTS = 50000
# The memory must grow by at least this much.
_MIN_GROWN_BYTES = 8 << 20


class DP17(Check):
    description = "the private memory of workers whose dataset has a large list of Python objects"
    fix = "keep paths and records in one numpy array of bytes or numbers, not in a list of objects"

    _list: tuple[str, int, int] | None = None
    _start = 0
    _largest_growth = 0
    _batches = 0

    def on_worker_started(self, dataset: Any, collate: Any) -> None:
        self._list, self._batches, self._largest_growth = None, 0, 0
        if not was_forked() or not sys.platform.startswith("linux"):
            return
        lists = [
            (name, len(value), _bytes_of_objects(value))
            for name, value in attributes_of(dataset)
            if _has_objects(value)
        ]
        if lists:
            self._list = max(lists, key=lambda item: item[2])
            self._start = read_private_bytes()

    def on_samples(self, dataset: Any, samples: Any, batch: Any) -> None:
        if self._list is not None and self.audit.worker is not None:
            self._batches += 1
            if self._batches & (self._batches - 1) == 0 and self.audit.can_look():
                self._measure()

    def on_worker_ended(self, dataset: Any) -> None:
        if self._list is not None:
            self._measure()
        self._list = None

    def _measure(self) -> None:
        name, objects, size = self._list or ("", 0, 0)
        growth = read_private_bytes() - self._start
        # Other memory of the worker does not grow: batches are sent away.
        if growth >= max(_MIN_GROWN_BYTES, 0.4 * size, 1.5 * self._largest_growth):
            self._largest_growth = growth
            self.note(name=name, objects=objects, size=size, grown=growth)

    @classmethod
    def compare(cls, facts: list[Fact]) -> Iterator[dict[str, Any]]:
        for group in group_facts(facts, lambda fact: (fact["name"], fact.loader_line)):
            largest = max(group, key=lambda fact: fact["grown"])
            yield cls.finding(
                LIKELY,
                f"a worker's private memory grew by {largest['grown'] >> 20} MB while it read "
                f"{largest['name']}, which has {largest['objects']} Python objects ({largest['size'] >> 20} MB): "
                "reading counts references, and that copies the pages",
                where=largest.loader_line,
                megabytes=largest["grown"] >> 20,
                objects=largest["objects"],
            )


def _has_objects(value: Any) -> bool:
    if is_array(value):
        return str(value.dtype) == "object" and value.size >= _MIN_OBJECTS
    return is_a(value, (list, tuple, dict)) and len(value) >= _MIN_OBJECTS


def _bytes_of_objects(value: Any) -> int:
    """An estimate of the memory of the objects, from the first few of them."""
    if is_array(value):
        value = value.reshape(-1)
    number = len(value)
    sample = list(value.values())[:20] if is_a(value, dict) else list(value[:20])
    return int(number * (8 + sum(map(sys.getsizeof, sample)) / len(sample)))
