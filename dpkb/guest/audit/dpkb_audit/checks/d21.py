"""D21: a collective, or a DDP forward pass with buffers, that not all ranks call. D9 records it."""

from __future__ import annotations

from dpkb_audit import ranks
from dpkb_audit.check import Check

MYPY = False
if MYPY:
    from collections.abc import Iterator
    from typing import Any


class D21(Check):
    watches = "the order of collectives and DDP passes of each rank"
    fix = ("call it on all ranks; validate on one rank with model.module, and let rank 0 broadcast its "
           "decisions")
    facts_of = "D9"

    @classmethod
    def compare(cls, facts: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for entry, certainty, message, where, evidence in ranks.differences(facts):
            if entry == cls.__name__:
                yield cls.finding(certainty, message, where=where, **evidence)
