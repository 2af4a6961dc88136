"""D22: ranks that skip different batches. D9 records it."""

from __future__ import annotations

from dpkb_audit import ranks
from dpkb_audit.check import Check

MYPY = False
if MYPY:
    from collections.abc import Iterator
    from typing import Any


class D22(Check):
    watches = "the batches that each rank gets, and those that it calls backward() for"
    fix = "replace unreadable samples instead of skipping, or exchange a flag so that all ranks skip together"
    facts_of = "D9"

    @classmethod
    def compare(cls, facts: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for entry, certainty, message, where, evidence in ranks.differences(facts):
            if entry == cls.__name__:
                yield cls.finding(certainty, message, where=where, **evidence)
