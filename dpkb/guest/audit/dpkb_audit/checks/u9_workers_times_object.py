"""U9: each worker has a copy of a large table in its memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpkb_audit.check import LIKELY, Check
from dpkb_audit.facts import Fact, group_facts
from dpkb_audit.memory import bytes_of, is_private, was_forked
from dpkb_audit.object_contents import attributes_of
from dpkb_audit.tensors import is_array, is_tensor

# A table is reported if it has at least this many bytes.
_MIN_BYTES = 32 << 20


class U9(Check):
    description = "large arrays and tensors that a dataset has in each worker"
    fix = "load it before the workers are forked, map it with mmap_mode='r', or share the tensor's memory"

    def prepare(self) -> None:
        self._batches = 0
        self._known: dict[str, int] = {}

    def on_worker_started(self, dataset: Any, collate: Any) -> None:
        self._batches = 0
        tables = _tables(dataset)
        self._known = {name: id(value) for name, value in tables}
        if not was_forked():
            for name, value in tables:
                self._note_table(name, value, "was pickled into")

    def on_samples(self, dataset: Any, samples: Any, batch: Any) -> None:
        if self.audit.worker is None:
            return
        self._batches += 1
        if self._batches in (1, 4, 16, 64) and self.audit.can_look():
            for name, value in _tables(dataset):
                if self._known.get(name) != id(value):
                    self._known[name] = id(value)
                    self._note_table(name, value, "was loaded by")

    def _note_table(self, name: str, value: Any, how: str) -> None:
        self.note(name=name, bytes=bytes_of(value), how=how)

    @classmethod
    def compare(cls, facts: list[Fact]) -> Iterator[dict[str, Any]]:
        for group in group_facts(facts, lambda fact: (fact["name"], fact["how"], fact.loader_line)):
            how = group[0]["how"]
            workers = {(fact.rank, fact.worker) for fact in group}
            # A single worker that loads the table has the only copy. A table that is sent exists twice.
            if len(workers) < 2 and how == "was loaded by":
                continue
            megabytes = max(fact["bytes"] for fact in group) >> 20
            readers = (
                f"each of {len(workers)} workers: {megabytes * len(workers)} MB in all"
                if len(workers) > 1
                else "the worker"
            )
            yield cls.finding(
                LIKELY,
                f"{group[0]['name']} of {megabytes} MB {how} {readers}",
                where=group[0].loader_line,
                megabytes=megabytes,
                workers=len(workers),
            )


def _tables(dataset: Any) -> list[tuple[str, Any]]:
    return [
        (name, value)
        for name, value in attributes_of(dataset)
        if (is_tensor(value) or is_array(value)) and bytes_of(value) >= _MIN_BYTES and is_private(value)
    ]
