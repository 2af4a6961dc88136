"""DP3: ranks whose IterableDataset gives them different numbers of batches. D9 records it."""

from __future__ import annotations

from dpkb_audit import ranks
from dpkb_audit.check import Check

MYPY = False
if MYPY:
    from collections.abc import Iterator
    from typing import Any


class DP3(Check):
    watches = "the number of batches that each rank gets from an IterableDataset"
    fix = "agree on the smallest number of batches before the epoch, or train inside model.join()"
    facts_of = "D9"

    @classmethod
    def compare(cls, facts: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for entry, certainty, message, where, evidence in ranks.differences(facts):
            if entry == cls.__name__:
                yield cls.finding(certainty, message, where=where, **evidence)
